import { isAbsolute, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Result, Schema } from "effect"
import { type AwsVariables, s3Address, WrongAddress } from "../drivers/blobs/s3/S3Address.ts"
import { within } from "../drivers/files/Deadline.ts"
import { availableMemory, usualWork } from "../drivers/UsualWork.ts"
import { messageOf } from "../languages/ErrorMessage.ts"
import { serverStop, storageDeadline } from "../protocol/Liveness.ts"
import type { BlobPlace } from "../protocol/Places.ts"
import { defaultRules, type Limit, parseRule, type Rule } from "../services/shared/settings/RetentionRules.ts"
import { parseRoots } from "../services/shared/settings/RootRules.ts"
import { defaultLimits, ownPlaces, Settings } from "../services/shared/settings/Settings.ts"
import { loadAccessFile } from "./access/AccessFileOnDisk.ts"
import { loadCertificate } from "./http/server/Certificate.ts"
import { firstFault, listOf } from "./SettingFaults.ts"
import { readableFolder, UnusableFolder, writableFolder } from "./UsableFolder.ts"
import { usableRoot } from "./UsableRoot.ts"
import { unknownSettings, variables } from "./Variables.ts"

/** An invalid setting. The message is for the operator who set it. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  variable: Schema.String,
  message: Schema.String
}) {}

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
  const fault = firstFault(env)
  if (fault !== undefined) return yield* new InvalidSetting(fault)
  const roots = env.roots === undefined ? Result.succeed({}) : parseRoots(env.roots)
  if (Result.isFailure(roots)) return yield* refuse("FLOW_ROOTS", roots.failure)
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
  const runs = env.runs ?? usual.runs
  const jobs = env.jobs ?? usual.jobs
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
    hosts: listOf(env.hosts),
    cors: listOf(env.cors),
    auth: env.auth === "none" ? undefined : resolve(env.auth),
    tls:
      env.tlsCert === undefined || env.tlsKey === undefined
        ? undefined
        : { cert: resolve(env.tlsCert), key: resolve(env.tlsKey) },
    trustedProxies: listOf(env.trustedProxies),
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
    runs: { all: runs, each: env.tenantRuns ?? Math.min(8, half(runs)) },
    jobs: { all: jobs, each: env.tenantJobs ?? Math.min(16, half(jobs)) },
    tenantQueue: env.tenantQueue,
    ceilings: { memoryMib: env.runMemory, seconds: env.runSeconds },
    outputLines: env.outputLines,
    roots: roots.success,
    outbound: listOf(env.outbound),
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
