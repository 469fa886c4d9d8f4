import { Config, ConfigProvider, Effect, Option, Schema } from "effect"
import { packagePath } from "../drivers/Package.ts"
import { suggestion } from "../languages/Suggest.ts"
import { leastMemory } from "../protocol/Flowline.ts"
import { TenantId, TenantName } from "../services/shared/Tenant.ts"

/** Undefined if the variable is not set. */
const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

const text = (name: string) => optional(Config.NonEmptyString(name))

/** One of some words: `otherwise`, or the first one, if the variable is not set. */
const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>, otherwise = words[0]!) =>
  Config.schema(Schema.Literals(words), name).pipe(Config.withDefault(otherwise))

const amount = (name: string, minimum = 1) =>
  Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum: Number.MAX_SAFE_INTEGER })),
    name
  )

/** The variables that locate the database, for commands that need no others. */
export const databaseVariables = {
  data: Config.String("FLOW_DATA").pipe(Config.withDefault("./.flow")),
  databaseUrl: text("FLOW_DATABASE_URL")
}

/** All environment variables that the gateway reads. No other file names them. */
export const variables = Config.all({
  ...databaseVariables,
  host: Config.String("FLOW_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 })),
    "FLOW_PORT"
  ).pipe(Config.withDefault(4242)),
  hosts: text("FLOW_HOSTS"),
  cors: text("FLOW_CORS"),
  compression: oneOf("FLOW_COMPRESSION", ["on", "off"]),
  conf: Config.String("FLOW_CONF").pipe(Config.withDefault(packagePath("examples/conf"))),
  defaultTenant: Config.schema(TenantName, "FLOW_TENANT").pipe(Config.withDefault("mytenant"), Config.map(TenantId)),
  environment: text("FLOW_ENVIRONMENT"),
  cluster: text("FLOW_CLUSTER"),
  role: oneOf("FLOW_ROLE", ["all", "api", "runner"]),
  blobs: text("FLOW_BLOBS"),
  blobsAdopt: text("FLOW_BLOBS_ADOPT"),
  unusedHours: Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 8784 })),
    "FLOW_BLOBS_UNUSED_HOURS"
  ).pipe(Config.withDefault(24)),
  checkRate: Config.schema(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
    "FLOW_BLOBS_CHECK_MIB"
  ).pipe(Config.withDefault(4)),
  checkDays: amount("FLOW_BLOBS_CHECK_DAYS").pipe(Config.withDefault(14)),
  aws: Config.all({
    accessKeyId: text("AWS_ACCESS_KEY_ID"),
    secretAccessKey: text("AWS_SECRET_ACCESS_KEY"),
    sessionToken: text("AWS_SESSION_TOKEN"),
    region: text("AWS_REGION"),
    defaultRegion: text("AWS_DEFAULT_REGION"),
    endpoint: text("AWS_ENDPOINT_URL"),
    s3Endpoint: text("AWS_ENDPOINT_URL_S3")
  }),
  search: text("FLOW_SEARCH"),
  auth: Config.String("FLOW_AUTH").pipe(Config.withDefault("none")),
  insecure: oneOf("FLOW_INSECURE", ["0", "1"]),
  tlsCert: text("FLOW_TLS_CERT"),
  tlsKey: text("FLOW_TLS_KEY"),
  trustedProxies: text("FLOW_TRUSTED_PROXIES"),
  addressConnections: amount("FLOW_ADDRESS_CONNECTIONS").pipe(Config.withDefault(512)),
  secretsFolder: text("FLOW_SECRETS"),
  secretsKeyFile: text("FLOW_SECRETS_KEY_FILE"),
  isolation: oneOf("FLOW_ISOLATION", ["auto", "off", "required"]),
  runNetwork: oneOf("FLOW_RUN_NETWORK", ["on", "off"]),
  logLevel: oneOf("FLOW_LOG", ["debug", "info", "warn", "error", "none"], "info"),
  otlp: text("FLOW_OTLP"),
  runs: optional(amount("FLOW_RUNS")),
  tenantRuns: optional(amount("FLOW_TENANT_RUNS")),
  jobs: optional(amount("FLOW_JOBS")),
  tenantJobs: optional(amount("FLOW_TENANT_JOBS")),
  tenantQueue: amount("FLOW_TENANT_QUEUE").pipe(Config.withDefault(1000)),
  runMemory: amount("FLOW_RUN_MEMORY", leastMemory).pipe(Config.withDefault(4096)),
  runSeconds: amount("FLOW_RUN_SECONDS").pipe(Config.withDefault(7 * 86_400)),
  runConnections: amount("FLOW_RUN_CONNECTIONS", 2).pipe(Config.withDefault(48)),
  outputLines: amount("FLOW_OUTPUT_LINES").pipe(Config.withDefault(100_000)),
  requestBytes: optional(amount("FLOW_REQUEST_BYTES")),
  tenantRequestBytes: optional(amount("FLOW_TENANT_REQUEST_BYTES")),
  sendRate: amount("FLOW_SEND_RATE").pipe(Config.withDefault(1024)),
  uploadRate: amount("FLOW_UPLOAD_RATE", 0).pipe(Config.withDefault(1024)),
  roots: text("FLOW_ROOTS"),
  outbound: text("FLOW_OUTBOUND_ALLOW"),
  tenantBytes: optional(amount("FLOW_TENANT_BYTES")),
  tenantEntries: optional(amount("FLOW_TENANT_ENTRIES")),
  retention: oneOf("FLOW_RETENTION", ["on", "dry-run", "off"]),
  keep: Config.all({
    executions: text("FLOW_KEEP_EXECUTIONS"),
    archives: text("FLOW_KEEP_ARCHIVES"),
    versions: text("FLOW_KEEP_VERSIONS"),
    documents: text("FLOW_KEEP_DOCUMENTS"),
    audit: text("FLOW_KEEP_AUDIT")
  })
})

/** The names of the settings, in the order in which they are read. */
export const settingNames: Effect.Effect<ReadonlySet<string>> = Effect.gen(function* () {
  const names = new Set<string>()
  const empty = ConfigProvider.make((path) => {
    names.add(path.join("_"))
    return Effect.succeed(undefined)
  })
  yield* Effect.orDie(variables.parse(empty))
  return names
})

const namesBelow = (
  provider: ConfigProvider.ConfigProvider,
  path: ConfigProvider.Path
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const keys = node._tag === "Record" ? [...node.keys] : node._tag === "Array" ? Array(node.length).keys() : []
    const below = yield* Effect.forEach([...keys], (key) => namesBelow(provider, [...path, key]))
    return [...(node.value === undefined ? [] : [path.join("_")]), ...below.flat()]
  })

/** The variables that Kubernetes gives every container for a service, such as one named `flow-gateway`. */
const serviceLink = /^(FLOW_\w+?)_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PORT|PROTO|ADDR))?)?)$/

/** An error for each variable that is named like a setting but is not one. An empty variable counts as unset. */
export const unknownSettings = Effect.gen(function* () {
  const known = yield* settingNames
  const given = yield* namesBelow(yield* ConfigProvider.ConfigProvider, ["FLOW"])
  const isLink = (name: string) => given.includes(`${serviceLink.exec(name)?.[1]}_SERVICE_HOST`)
  return given
    .filter((name) => !known.has(name) && !isLink(name))
    .map((name) => {
      const ours = [...known].filter((other) => other.startsWith("FLOW_"))
      return { name, message: `unknown setting${suggestion(name, ours) || "; docs/settings.md lists all settings"}` }
    })
})
