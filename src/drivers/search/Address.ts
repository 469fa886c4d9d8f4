import type { NetConnectOpts } from "node:net"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Redacted, Result } from "effect"
import type { SearchAddress } from "../../protocol/Places.ts"
import { connectWatched } from "../postgres/LivenessSocket.ts"

const targetOf = (url: URL): NetConnectOpts => {
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port))
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  if (host.startsWith("/")) return { path: `${host}/.s.PGSQL.${port}` }
  return { host: host === "" ? "localhost" : host.replace(/^\[|\]$/g, ""), port }
}

/** A `varchar`, which nothing else here is, is left in UTF-8: making strings of many texts is most of reading them. */
const types = PgTypes.makeRegistry()
types.register<Uint8Array>(PgTypes.OID.varchar, { encode: Result.succeed, decode: Result.succeed })

/**
 * Connections for searching: apart from those of requests, as one statement can last as long as somebody reads its
 * results. Plans are made for the query at hand, as JSON paths are read once only when they are known to the plan.
 */
export const connect = ({ url, connections }: SearchAddress) => {
  const address = new URL(Redacted.value(url))
  const mayEncrypt = ![null, "disable"].includes(address.searchParams.get("sslmode"))
  return PgClient.make({
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
