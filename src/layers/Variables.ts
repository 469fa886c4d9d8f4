import { Config, ConfigProvider, Effect, Option, Schema } from "effect"
import { packagePath } from "../drivers/Package.ts"
import { suggestion } from "../languages/Suggest.ts"
import { leastMemory } from "../protocol/Flowline.ts"
import { TenantId, TenantName } from "../services/shared/Tenant.ts"

const optional = (name: string) => Config.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

const amount = (name: string, minimum = 1) =>
  Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum: Number.MAX_SAFE_INTEGER })),
    name
  )

const optionalAmount = (name: string) => Config.map(Config.option(amount(name)), Option.getOrUndefined)

/** The variables that locate the database, for commands that need no others. */
export const databaseVariables = {
  data: Config.String("FLOW_DATA").pipe(Config.withDefault("./.flow")),
  databaseUrl: Config.option(Config.NonEmptyString("FLOW_DATABASE_URL"))
}

/** All environment variables that the gateway reads. No other file names them. */
export const variables = Config.all({
  ...databaseVariables,
  host: Config.String("FLOW_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 })),
    "FLOW_PORT"
  ).pipe(Config.withDefault(4242)),
  hosts: Config.option(Config.NonEmptyString("FLOW_HOSTS")),
  cors: Config.option(Config.NonEmptyString("FLOW_CORS")),
  compression: Config.schema(Schema.Literals(["on", "off"]), "FLOW_COMPRESSION").pipe(
    Config.withDefault("on" as const)
  ),
  conf: Config.String("FLOW_CONF").pipe(Config.withDefault(packagePath("examples/conf"))),
  defaultTenant: Config.schema(TenantName, "FLOW_TENANT").pipe(Config.withDefault("mytenant"), Config.map(TenantId)),
  environment: Config.option(Config.NonEmptyString("FLOW_ENVIRONMENT")),
  cluster: Config.option(Config.NonEmptyString("FLOW_CLUSTER")),
  role: Config.schema(Schema.Literals(["all", "api", "runner"]), "FLOW_ROLE").pipe(Config.withDefault("all" as const)),
  blobs: Config.option(Config.NonEmptyString("FLOW_BLOBS")),
  blobsAdopt: Config.option(Config.NonEmptyString("FLOW_BLOBS_ADOPT")),
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
    accessKeyId: optional("AWS_ACCESS_KEY_ID"),
    secretAccessKey: optional("AWS_SECRET_ACCESS_KEY"),
    sessionToken: optional("AWS_SESSION_TOKEN"),
    region: optional("AWS_REGION"),
    defaultRegion: optional("AWS_DEFAULT_REGION"),
    endpoint: optional("AWS_ENDPOINT_URL"),
    s3Endpoint: optional("AWS_ENDPOINT_URL_S3")
  }),
  search: Config.option(Config.NonEmptyString("FLOW_SEARCH")),
  auth: Config.String("FLOW_AUTH").pipe(Config.withDefault("none")),
  insecure: Config.schema(Schema.Literals(["0", "1"]), "FLOW_INSECURE").pipe(Config.withDefault("0" as const)),
  tlsCert: optional("FLOW_TLS_CERT"),
  tlsKey: optional("FLOW_TLS_KEY"),
  trustedProxies: Config.option(Config.NonEmptyString("FLOW_TRUSTED_PROXIES")),
  addressConnections: amount("FLOW_ADDRESS_CONNECTIONS").pipe(Config.withDefault(512)),
  secretsFolder: optional("FLOW_SECRETS"),
  secretsKeyFile: optional("FLOW_SECRETS_KEY_FILE"),
  isolation: Config.schema(Schema.Literals(["auto", "off", "required"]), "FLOW_ISOLATION").pipe(
    Config.withDefault("auto" as const)
  ),
  runNetwork: Config.schema(Schema.Literals(["on", "off"]), "FLOW_RUN_NETWORK").pipe(Config.withDefault("on" as const)),
  logLevel: Config.schema(Schema.Literals(["debug", "info", "warn", "error", "none"]), "FLOW_LOG").pipe(
    Config.withDefault("info" as const)
  ),
  otlp: Config.option(Config.NonEmptyString("FLOW_OTLP")),
  runs: optionalAmount("FLOW_RUNS"),
  tenantRuns: optionalAmount("FLOW_TENANT_RUNS"),
  jobs: optionalAmount("FLOW_JOBS"),
  tenantJobs: optionalAmount("FLOW_TENANT_JOBS"),
  tenantQueue: amount("FLOW_TENANT_QUEUE").pipe(Config.withDefault(1000)),
  runMemory: amount("FLOW_RUN_MEMORY", leastMemory).pipe(Config.withDefault(4096)),
  runSeconds: amount("FLOW_RUN_SECONDS").pipe(Config.withDefault(7 * 86_400)),
  runConnections: amount("FLOW_RUN_CONNECTIONS", 2).pipe(Config.withDefault(48)),
  outputLines: amount("FLOW_OUTPUT_LINES").pipe(Config.withDefault(100_000)),
  requestBytes: optionalAmount("FLOW_REQUEST_BYTES"),
  tenantRequestBytes: optionalAmount("FLOW_TENANT_REQUEST_BYTES"),
  sendRate: amount("FLOW_SEND_RATE").pipe(Config.withDefault(1024)),
  uploadRate: amount("FLOW_UPLOAD_RATE", 0).pipe(Config.withDefault(1024)),
  roots: Config.option(Config.NonEmptyString("FLOW_ROOTS")),
  outbound: Config.option(Config.NonEmptyString("FLOW_OUTBOUND_ALLOW")),
  tenantBytes: Config.option(amount("FLOW_TENANT_BYTES")),
  tenantEntries: Config.option(amount("FLOW_TENANT_ENTRIES")),
  retention: Config.schema(Schema.Literals(["on", "dry-run", "off"]), "FLOW_RETENTION").pipe(
    Config.withDefault("on" as const)
  ),
  keep: Config.all({
    executions: optional("FLOW_KEEP_EXECUTIONS"),
    archives: optional("FLOW_KEEP_ARCHIVES"),
    versions: optional("FLOW_KEEP_VERSIONS"),
    documents: optional("FLOW_KEEP_DOCUMENTS"),
    audit: optional("FLOW_KEEP_AUDIT")
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
