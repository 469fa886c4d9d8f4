import type { Config } from "effect"
import { outboundRule } from "../drivers/Outbound.ts"
import { isLoopback } from "../services/shared/settings/Settings.ts"
import { proxyFault } from "./http/server/Forwarded.ts"
import type { variables } from "./Variables.ts"

/** The members of a list that is separated by commas. */
export const listOf = (list: string | undefined): ReadonlyArray<string> =>
  list?.split(",").map((one) => one.trim()) ?? []

const isHost =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/

/** An origin in exactly the form in which browsers send it, because origins are compared as texts. */
const isOrigin = (value: string): boolean => /^https?:/.test(value) && URL.parse(value)?.origin === value

const noOriginMessage = (value: string): string => {
  const name = JSON.stringify(value)
  if (value === "*" || value === "null") {
    return `${name} would let any page use the gateway with the password that its reader's browser knows; list the origins`
  }
  const meant = URL.parse(value)?.origin
  const example = meant === undefined || !isOrigin(meant) ? "https://app.example.com,http://localhost:3000" : meant
  return `${name} is not an origin; expected scheme, host and port as in ${example}`
}

/** Whether signals can be sent below this address. It cannot have credentials: `fetch` refuses them, and logs show it. */
const isReceiver = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#]/.test(text)
}

const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)

/** What is wrong with settings that depend on others, or whose form a schema does not tell; the first in this order. */
export const firstFault = (env: Config.Success<typeof variables>) => {
  for (const [variable, message] of faults(env)) return { variable, message }
  return undefined
}

/** The variable to change, and what is wrong with it or what to set instead. */
function* faults(env: Config.Success<typeof variables>): Iterable<readonly [variable: string, message: string]> {
  if (env.auth === "none" && env.insecure === "0" && !isLoopback(env.host)) {
    yield [
      "FLOW_HOST",
      "without authentication the gateway listens on loopback addresses only: set FLOW_AUTH, or FLOW_INSECURE=1"
    ]
  }
  if ((env.tlsCert === undefined) !== (env.tlsKey === undefined)) {
    const missing = env.tlsCert === undefined ? "FLOW_TLS_CERT" : "FLOW_TLS_KEY"
    yield [missing, "TLS needs FLOW_TLS_CERT and FLOW_TLS_KEY, both files in PEM"]
  }
  for (const entry of listOf(env.trustedProxies)) {
    const fault = proxyFault(entry)
    if (fault !== undefined) yield ["FLOW_TRUSTED_PROXIES", `${JSON.stringify(entry)} ${fault}`]
  }
  for (const name of listOf(env.hosts).filter((name) => !isHost.test(name))) {
    yield [
      "FLOW_HOSTS",
      `${JSON.stringify(name)} is not a host name; expected names as in gateway.example.com,flow.example.com`
    ]
  }
  for (const one of listOf(env.cors).filter((one) => !isOrigin(one))) yield ["FLOW_CORS", noOriginMessage(one)]
  for (const entry of listOf(env.outbound).filter((entry) => outboundRule(entry) === undefined)) {
    yield [
      "FLOW_OUTBOUND_ALLOW",
      `${JSON.stringify(entry)} is no host, address or range; expected a list as in collector.internal:8080,10.1.0.0/16`
    ]
  }
  if (env.environment !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(env.environment)) {
    yield [
      "FLOW_ENVIRONMENT",
      `${JSON.stringify(env.environment)} is not a name of letters, digits, ".", "_" and "-" (63 at most), such as production`
    ]
  }
  if (env.search !== undefined) yield ["FLOW_SEARCH", "this version searches only in PostgreSQL"]
  if (env.otlp !== undefined && !isReceiver(env.otlp)) {
    yield [
      "FLOW_OTLP",
      "expected an http: or https: URL without a name, password or query, such as http://localhost:4318"
    ]
  }
  if (env.databaseUrl !== undefined && !isDatabaseUrl(env.databaseUrl)) {
    yield ["FLOW_DATABASE_URL", "expected a URL such as postgres://user:password@host:5432/database"]
  }
  if (env.cluster !== undefined && !/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/.test(env.cluster)) {
    yield ["FLOW_CLUSTER", "expected the address at which other gateways reach this one, such as 10.0.0.7:4243"]
  }
  if (env.cluster !== undefined && env.databaseUrl === undefined) {
    yield ["FLOW_CLUSTER", "a cluster needs a database for all its gateways: set FLOW_DATABASE_URL"]
  }
  if (env.role !== "all" && env.databaseUrl === undefined) {
    yield ["FLOW_ROLE", "a gateway with one role needs others on its database: set FLOW_DATABASE_URL"]
  }
}
