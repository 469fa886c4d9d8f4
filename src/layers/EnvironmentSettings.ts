import { isAbsolute, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Result, Schema } from "effect"
import { type AwsVariables, s3Address, WrongAddress } from "../drivers/blobs/s3/S3Address.ts"
import { within } from "../drivers/files/Deadline.ts"
import { outboundRule } from "../drivers/Outbound.ts"
import { availableMemory, usualWork } from "../drivers/UsualWork.ts"
import { messageOf } from "../languages/ErrorMessage.ts"
import { serverStop, storageDeadline } from "../protocol/Liveness.ts"
import type { BlobPlace } from "../protocol/Places.ts"
import { defaultRules, type Limit, parseRule, type Rule } from "../services/shared/settings/RetentionRules.ts"
import { parseRoots } from "../services/shared/settings/RootRules.ts"
import { defaultLimits, isLoopback, ownPlaces, Settings } from "../services/shared/settings/Settings.ts"
import { loadAccessFile } from "./access/AccessFileOnDisk.ts"
import { loadCertificate } from "./http/server/Certificate.ts"
import { proxyFault } from "./http/server/Forwarded.ts"
import { readableFolder, UnusableFolder, writableFolder } from "./UsableFolder.ts"
import { usableRoot } from "./UsableRoot.ts"
import { unknownSettings, variables } from "./Variables.ts"

/** An invalid setting. The message is for the operator who set it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  variable: Schema.String,
  message: Schema.String
}) {}

const isHost =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/

const refuse = (variable: string, message: string) => Effect.fail(new InvalidSetting({ variable, message }))

const listOf = (list: string | undefined): ReadonlyArray<string> => list?.split(",").map((one) => one.trim()) ?? []

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

const blobPlace = (value: string, aws: AwsVariables): Effect.Effect<BlobPlace, InvalidSetting> => {
  if (value.startsWith("s3:")) {
    return Effect.try({
      try: () => s3Address(value, aws),
      catch: (error) => {
        const message = error instanceof WrongAddress ? error.message : "expected s3://bucket/prefix"
        return new InvalidSetting({ variable: "FLOW_BLOBS", message })
      }
    })
  }
  if (value.startsWith("file:")) {
    try {
      return Effect.succeed({ kind: "disk", root: fileURLToPath(value) })
    } catch {
      return refuse("FLOW_BLOBS", "a file: URL must be absolute, such as file:///var/lib/flow/blobs")
    }
  }
  return isAbsolute(value)
    ? Effect.succeed({ kind: "disk", root: value })
    : refuse("FLOW_BLOBS", "expected file:///…, an absolute path or s3://bucket/prefix")
}

/** A retention rule: the one that its variable sets, else the default. */
const ruleOf = (variable: string, given: string | undefined, limits: ReadonlyArray<Limit>, otherwise: Rule) =>
  given === undefined
    ? Effect.succeed(otherwise)
    : Effect.mapError(
        Effect.fromResult(parseRule(given, limits)),
        (message) => new InvalidSetting({ variable, message })
      )

const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)

/** Checks a folder or file while reading the settings, so that the error names the setting to change. */
const usable = (variable: string, folder: Promise<unknown>): Effect.Effect<void, InvalidSetting> =>
  Effect.tryPromise({
    try: () => folder,
    catch: (error) => new InvalidSetting({ variable, message: messageOf(error) })
  })

/** An unreachable disk does not stop the gateway from starting: operations on it fail until it is back. */
const unlessAway = (folder: Promise<void>): Promise<void> =>
  within(storageDeadline, folder).catch((error) => {
    if (error instanceof UnusableFolder) throw error
  })

const half = (amount: number): number => Math.ceil(amount / 2)

/** The settings of the environment, validated, but without checking the folders that they name. */
export const settings = Effect.gen(function* () {
  const [first, ...others] = yield* unknownSettings
  if (first !== undefined) {
    const rest = others.map(({ name, message }) => `; ${name}: ${message}`)
    return yield* refuse(first.name, first.message + rest.join(""))
  }
  const env = yield* variables
  const auth = env.auth === "none" ? undefined : resolve(env.auth)
  if (auth === undefined && env.insecure === "0" && !isLoopback(env.host)) {
    return yield* refuse(
      "FLOW_HOST",
      "without authentication the gateway listens on loopback addresses only: set FLOW_AUTH, or FLOW_INSECURE=1"
    )
  }
  if ((env.tlsCert === undefined) !== (env.tlsKey === undefined)) {
    const missing = env.tlsCert === undefined ? "FLOW_TLS_CERT" : "FLOW_TLS_KEY"
    return yield* refuse(missing, "TLS needs FLOW_TLS_CERT and FLOW_TLS_KEY, both files in PEM")
  }
  const trustedProxies = listOf(env.trustedProxies)
  for (const entry of trustedProxies) {
    const fault = proxyFault(entry)
    if (fault !== undefined) return yield* refuse("FLOW_TRUSTED_PROXIES", `${JSON.stringify(entry)} ${fault}`)
  }
  const hosts = listOf(env.hosts)
  const wrong = hosts.find((name) => !isHost.test(name))
  if (wrong !== undefined) {
    return yield* refuse(
      "FLOW_HOSTS",
      `${JSON.stringify(wrong)} is not a host name; expected names as in gateway.example.com,flow.example.com`
    )
  }
  const cors = listOf(env.cors)
  const noOrigin = cors.find((one) => !isOrigin(one))
  if (noOrigin !== undefined) return yield* refuse("FLOW_CORS", noOriginMessage(noOrigin))
  const outbound = listOf(env.outbound)
  const noRule = outbound.find((entry) => outboundRule(entry) === undefined)
  if (noRule !== undefined) {
    return yield* refuse(
      "FLOW_OUTBOUND_ALLOW",
      `${JSON.stringify(noRule)} is no host, address or range; expected a list as in collector.internal:8080,10.1.0.0/16`
    )
  }
  if (env.environment !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(env.environment)) {
    return yield* refuse(
      "FLOW_ENVIRONMENT",
      `${JSON.stringify(env.environment)} is not a name of letters, digits, ".", "_" and "-" (63 at most), such as production`
    )
  }
  const roots = env.roots === undefined ? Result.succeed({}) : parseRoots(env.roots)
  if (Result.isFailure(roots)) return yield* refuse("FLOW_ROOTS", roots.failure)
  if (env.search !== undefined) {
    return yield* refuse("FLOW_SEARCH", "this version searches only in PostgreSQL")
  }
  if (env.otlp !== undefined && !URL.canParse(env.otlp)) {
    return yield* refuse("FLOW_OTLP", "expected the URL of an OTLP receiver, such as http://localhost:4318")
  }
  if (env.databaseUrl !== undefined && !isDatabaseUrl(env.databaseUrl)) {
    return yield* refuse("FLOW_DATABASE_URL", "expected a URL such as postgres://user:password@host:5432/database")
  }
  if (env.cluster !== undefined) {
    if (!/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/.test(env.cluster)) {
      return yield* refuse(
        "FLOW_CLUSTER",
        "expected the address at which other gateways reach this one, such as 10.0.0.7:4243"
      )
    }
    if (env.databaseUrl === undefined) {
      return yield* refuse("FLOW_CLUSTER", "a cluster needs a database for all its gateways: set FLOW_DATABASE_URL")
    }
  }
  if (env.role !== "all" && env.databaseUrl === undefined) {
    return yield* refuse("FLOW_ROLE", "a gateway with one role needs others on its database: set FLOW_DATABASE_URL")
  }
  const everything = ["age", "number", "bytes"] as const
  const retention = {
    mode: env.retention,
    executions: yield* ruleOf("FLOW_KEEP_EXECUTIONS", env.keep.executions, everything, defaultRules.executions),
    archives: yield* ruleOf("FLOW_KEEP_ARCHIVES", env.keep.archives, everything, defaultRules.archives),
    versions: yield* ruleOf("FLOW_KEEP_VERSIONS", env.keep.versions, ["age", "number"], defaultRules.versions),
    documents: yield* ruleOf("FLOW_KEEP_DOCUMENTS", env.keep.documents, everything, defaultRules.documents),
    audit: yield* ruleOf("FLOW_KEEP_AUDIT", env.keep.audit, ["age"], defaultRules.audit)
  }
  const usual = usualWork(availableMemory())
  const requestBytes = env.requestBytes ?? usual.requestBytes
  const data = resolve(env.data)
  const blobs =
    env.blobs !== undefined
      ? yield* blobPlace(env.blobs, {
          ...env.aws,
          region: env.aws.region ?? env.aws.defaultRegion,
          endpoint: env.aws.s3Endpoint ?? env.aws.endpoint
        })
      : ({ kind: "disk", root: resolve(data, "blobs") } as const)
  return Settings.of({
    host: env.host.replace(/^\[|\]$/g, ""),
    port: env.port,
    hosts,
    cors,
    auth,
    tls:
      env.tlsCert === undefined || env.tlsKey === undefined
        ? undefined
        : { cert: resolve(env.tlsCert), key: resolve(env.tlsKey) },
    trustedProxies,
    addressConnections: env.addressConnections,
    secrets: {
      folder: env.secretsFolder === undefined ? undefined : resolve(env.secretsFolder),
      keyFile: env.secretsKeyFile === undefined ? undefined : resolve(env.secretsKeyFile)
    },
    isolation: env.isolation,
    runNetwork: env.runNetwork === "on",
    compression: env.compression === "on",
    conf: resolve(env.conf),
    data,
    defaultTenant: env.defaultTenant,
    databaseUrl: env.databaseUrl,
    environment: env.environment,
    cluster: env.cluster,
    role: env.role,
    blobs,
    blobsAdopt: env.blobsAdopt,
    unusedHours: env.unusedHours,
    checkRate: env.checkRate * 1024 * 1024,
    checkDays: env.checkDays,
    logLevel: env.logLevel,
    otlp: env.otlp,
    limits: defaultLimits,
    runs: { all: env.runs ?? usual.runs, each: env.tenantRuns ?? (env.runs === undefined ? half(usual.runs) : 8) },
    jobs: { all: env.jobs ?? usual.jobs, each: env.tenantJobs ?? (env.jobs === undefined ? half(usual.jobs) : 16) },
    tenantQueue: env.tenantQueue,
    ceilings: { memoryMib: env.runMemory, seconds: env.runSeconds },
    outputLines: env.outputLines,
    roots: roots.success,
    outbound,
    quota: { bytes: env.tenantBytes, entries: env.tenantEntries },
    retention,
    requestMemory: { all: requestBytes, each: env.tenantRequestBytes ?? half(requestBytes) },
    sendRate: env.sendRate,
    runConnections: env.runConnections,
    uploadRate: env.uploadRate,
    storageDeadline,
    stopPatience: serverStop
  })
})

/** The variable that names the folder of the blobs. */
export const blobsVariable = ({ blobs, data }: Settings["Service"]): "FLOW_BLOBS" | "FLOW_DATA" =>
  blobs.kind === "disk" && blobs.root === resolve(data, "blobs") ? "FLOW_DATA" : "FLOW_BLOBS"

/**
 * Reads the settings from the environment. A setting that this version does not support fails the start; it is never
 * ignored.
 */
export const layer = Layer.effect(
  Settings,
  Effect.gen(function* () {
    const found = yield* settings
    const { auth, blobs, conf, data, roots, secrets, tls } = found
    const own = ownPlaces(found)
    if (auth !== undefined) yield* usable("FLOW_AUTH", within(storageDeadline, loadAccessFile(auth, own)))
    for (const [name, root] of Object.entries(roots)) {
      yield* usable("FLOW_ROOTS", unlessAway(usableRoot(name, root, own)))
    }
    if (tls !== undefined) yield* loadCertificate(tls)
    yield* usable("FLOW_CONF", within(storageDeadline, readableFolder(conf)))
    if (secrets.folder !== undefined) {
      yield* usable("FLOW_SECRETS", within(storageDeadline, readableFolder(secrets.folder)))
    }
    yield* usable("FLOW_DATA", within(storageDeadline, writableFolder(data, 0o711)))
    if (blobs.kind === "disk") yield* usable(blobsVariable(found), unlessAway(writableFolder(blobs.root, 0o700)))
    return found
  })
)
