import { Socket } from "node:net"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Redacted, Result } from "effect"
import { idleTransaction } from "../../protocol/Liveness.ts"
import type { SearchAddress } from "../../protocol/Places.ts"
import { makeWatchedClient } from "../postgres/ConnectionPools.ts"
import { connectWatched, targetOf } from "../postgres/LivenessSocket.ts"
import { RowTaps } from "./RowTap.ts"

/** Where all connections read into: the driver, and those who tap its rows, copy what they need at once. */
const received = Buffer.allocUnsafe(256 * 1024)

/** Reads without a new buffer for each chunk, which would make V8 collect garbage all the time. */
const onread = {
  buffer: received,
  callback(this: Socket | undefined, size: number, bytes: Uint8Array): boolean {
    this?.emit("data", bytes.subarray(0, size))
    return true
  }
}

/**
 * A `varchar` is left as UTF-8 bytes, because decoding strings takes most of the time of reading many texts. No other
 * column here is a `varchar`.
 */
const types = PgTypes.makeRegistry()
types.register<Uint8Array>(PgTypes.OID.varchar, { encode: Result.succeed, decode: Result.succeed })

/**
 * Connections for searches. They are separate from those of requests, because a statement can last as long as somebody
 * reads its results. Plans are made per query: PostgreSQL parses a JSON path once only if it is a constant of the plan.
 */
export const connect = ({ url, connections }: SearchAddress) => {
  const taps = new RowTaps()
  const address = new URL(Redacted.value(url))
  const mayEncrypt = ![null, "disable"].includes(address.searchParams.get("sslmode"))
  const client = makeWatchedClient("search", {
    url,
    applicationName: "flow-gateway search",
    maxConnections: connections,
    connectTimeout: "2 seconds",
    startupParameters: {
      statement_timeout: "30min",
      lock_timeout: "4s",
      idle_in_transaction_session_timeout: String(idleTransaction),
      TimeZone: "UTC",
      plan_cache_mode: "force_custom_plan",
      jit: "off"
    },
    stream: () => {
      const target = mayEncrypt ? targetOf(address) : { ...targetOf(address), onread }
      const stream = connectWatched(target, { silence: 1500, probe: 1000 }, mayEncrypt)
      // The rows of an encrypted connection cannot be read here.
      return stream instanceof Socket ? taps.over(stream) : stream
    },
    types,
    transformJson: false
  })
  return Effect.map(client, (sql) => ({ sql, taps }))
}
