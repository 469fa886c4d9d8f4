import type { NetConnectOpts } from "node:net"
import { PgTypes } from "@effect/sql-pg"
import { Redacted, Result } from "effect"
import type { SearchAddress } from "../../protocol/Places.ts"
import { makeWatchedClient } from "../postgres/ConnectionPools.ts"
import { connectWatched } from "../postgres/LivenessSocket.ts"

const targetOf = (url: URL): NetConnectOpts => {
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port))
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  if (host.startsWith("/")) return { path: `${host}/.s.PGSQL.${port}` }
  return { host: host === "" ? "localhost" : host.replace(/^\[|\]$/g, ""), port }
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
  const address = new URL(Redacted.value(url))
  const mayEncrypt = ![null, "disable"].includes(address.searchParams.get("sslmode"))
  return makeWatchedClient("search", {
    url,
    applicationName: "flow-gateway search",
    maxConnections: connections,
    connectTimeout: "2 seconds",
    startupParameters: {
      statement_timeout: "30min",
      lock_timeout: "4s",
      TimeZone: "UTC",
      plan_cache_mode: "force_custom_plan",
      jit: "off"
    },
    stream: () => connectWatched(targetOf(address), { silence: 1500, probe: 1000 }, mayEncrypt),
    types,
    transformJson: false
  })
}
