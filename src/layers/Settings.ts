import { accessSync, constants, mkdirSync, statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Config, Effect, Layer, Option, Schema } from "effect"
import { type AwsVariables, s3Address, WrongAddress } from "../drivers/blobs/s3/Address.ts"
import { packagePath } from "../drivers/Package.ts"
import type { BlobPlace } from "../protocol/Places.ts"
import { defaultLimits, Settings } from "../services/shared/Settings.ts"
import { TenantName } from "../services/shared/Tenant.ts"

/** A setting that the gateway cannot work with. The message is for the person who set it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  variable: Schema.String,
  message: Schema.String
}) {}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/

const optional = (name: string) => Config.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

const amount = (name: string) =>
  Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    name
  )

const variables = Config.all({
  host: Config.String("FLOW_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 })),
    "FLOW_PORT"
  ).pipe(Config.withDefault(4242)),
  conf: Config.String("FLOW_CONF").pipe(Config.withDefault(packagePath("examples/conf"))),
  data: Config.String("FLOW_DATA").pipe(Config.withDefault("./.flow")),
  defaultTenant: Config.schema(TenantName, "FLOW_TENANT").pipe(Config.withDefault("mytenant")),
  databaseUrl: Config.option(Config.NonEmptyString("FLOW_DATABASE_URL")),
  cluster: Config.option(Config.NonEmptyString("FLOW_CLUSTER")),
  role: Config.schema(Schema.Literals(["all", "api", "runner"]), "FLOW_ROLE").pipe(Config.withDefault("all" as const)),
  blobs: Config.option(Config.NonEmptyString("FLOW_BLOBS")),
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
  logLevel: Config.schema(Schema.Literals(["debug", "info", "warn", "error", "none"]), "FLOW_LOG").pipe(
    Config.withDefault("info" as const)
  ),
  otlp: Config.option(Config.NonEmptyString("FLOW_OTLP")),
  runs: amount("FLOW_RUNS").pipe(Config.withDefault(16)),
  tenantRuns: amount("FLOW_TENANT_RUNS").pipe(Config.withDefault(8)),
  outputLines: amount("FLOW_OUTPUT_LINES").pipe(Config.withDefault(100_000)),
  tenantBytes: Config.option(amount("FLOW_TENANT_BYTES")),
  tenantEntries: Config.option(amount("FLOW_TENANT_ENTRIES"))
})

const refuse = (variable: string, message: string) => Effect.fail(new InvalidSetting({ variable, message }))

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
      return refuse("FLOW_BLOBS", "a file: address must be absolute, as in file:///var/lib/flow/blobs")
    }
  }
  return isAbsolute(value)
    ? Effect.succeed({ kind: "disk", root: value })
    : refuse("FLOW_BLOBS", "expected file:///…, an absolute path or s3://bucket/prefix")
}

const isDatabaseUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)

/** Made here, so that whoever finds it missing or closed to writing is told which setting that is. */
const dataFolder = (path: string): Effect.Effect<string, InvalidSetting> =>
  Effect.try({
    try: () => {
      mkdirSync(path, { recursive: true, mode: 0o711 })
      accessSync(path, constants.W_OK)
      return path
    },
    catch: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      return new InvalidSetting({ variable: "FLOW_DATA", message: `the folder cannot be used: ${reason}` })
    }
  })

/** The settings from the environment. What this version cannot do is refused at the start, never ignored. */
export const layer = Layer.effect(
  Settings,
  Effect.gen(function* () {
    const env = yield* variables
    if (env.auth !== "none") {
      return yield* refuse("FLOW_AUTH", "this version knows only `none`; put an authenticating proxy in front")
    }
    if (!loopback.test(env.host)) {
      return yield* refuse("FLOW_HOST", "without authentication the gateway listens on loopback addresses only")
    }
    if (Option.isSome(env.search)) {
      return yield* refuse("FLOW_SEARCH", "documents are in PostgreSQL; this version knows no other search")
    }
    if (Option.isSome(env.otlp) && !URL.canParse(env.otlp.value)) {
      return yield* refuse("FLOW_OTLP", "expected the address of an OTLP receiver, as in http://localhost:4318")
    }
    if (Option.isSome(env.databaseUrl) && !isDatabaseUrl(env.databaseUrl.value)) {
      return yield* refuse("FLOW_DATABASE_URL", "expected an address as in postgres://user:password@host:5432/database")
    }
    if (Option.isSome(env.cluster)) {
      if (!/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/.test(env.cluster.value)) {
        return yield* refuse("FLOW_CLUSTER", "expected where the other gateways reach this one, as in 10.0.0.7:4243")
      }
      if (Option.isNone(env.databaseUrl)) {
        return yield* refuse("FLOW_CLUSTER", "a cluster needs a database for all its gateways: set FLOW_DATABASE_URL")
      }
    }
    if (env.role !== "all" && Option.isNone(env.databaseUrl)) {
      return yield* refuse("FLOW_ROLE", "a gateway with one role needs others on its database: set FLOW_DATABASE_URL")
    }
    const conf = resolve(env.conf)
    if (!statSync(conf, { throwIfNoEntry: false })?.isDirectory()) {
      return yield* refuse("FLOW_CONF", `there is no folder ${conf}`)
    }
    const data = yield* dataFolder(resolve(env.data))
    return Settings.of({
      host: env.host.replace(/^\[|\]$/g, ""),
      port: env.port,
      conf,
      data,
      defaultTenant: env.defaultTenant,
      databaseUrl: Option.getOrUndefined(env.databaseUrl),
      cluster: Option.getOrUndefined(env.cluster),
      role: env.role,
      blobs: Option.isSome(env.blobs)
        ? yield* blobPlace(env.blobs.value, {
            ...env.aws,
            region: env.aws.region ?? env.aws.defaultRegion,
            endpoint: env.aws.s3Endpoint ?? env.aws.endpoint
          })
        : { kind: "disk", root: resolve(data, "blobs") },
      logLevel: env.logLevel,
      otlp: Option.getOrUndefined(env.otlp),
      limits: defaultLimits,
      runs: { all: env.runs, each: env.tenantRuns },
      outputLines: env.outputLines,
      quota: { bytes: Option.getOrUndefined(env.tenantBytes), entries: Option.getOrUndefined(env.tenantEntries) },
      storageDeadline: 5000
    })
  })
)
