import { createPrivateKey, X509Certificate } from "node:crypto"
import { access, constants, readdir, readFile, statfs } from "node:fs/promises"
import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Cause, Effect, Redacted, Result } from "effect"
import * as Predicate from "effect/Predicate"
import * as Reactivity from "effect/reactivity/Reactivity"
import { within } from "../../drivers/files/Deadline.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { dataRoot, type Settings } from "../../services/shared/settings/Settings.ts"
import { blobsVariable } from "../EnvironmentSettings.ts"
import { findProgram } from "../postgres/embedded/Binaries.ts"
import { lockHolder } from "../postgres/embedded/FolderLock.ts"
import { refuseForeign } from "../postgres/Migrations.ts"
import { readableFolder, writableFault } from "../UsableFolder.ts"
import { diskPatience, fileFindings } from "./FileFindings.ts"
import { type Finding, fault, missing, ok } from "./Finding.ts"

type All = Settings["Service"]

const gib = 1024 ** 3

/** Free bytes below which the gateway soon stands still: PostgreSQL alone writes 64 MiB at once. */
const littleSpace = gib

/** The free space of the volume on which a folder is, or will be. */
const freeBytes = async (path: string): Promise<number> => {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (error) {
    if (dirname(path) === path) throw error
    return freeBytes(dirname(path))
  }
}

const folderFinding = async (name: string, variable: string, path: string): Promise<Finding> => {
  const found = await writableFault(path)
  if (found !== undefined) return fault(name, found, `set ${variable} to a folder that the gateway may write`)
  const free = await freeBytes(path)
  const space = `${path}, ${(free / gib).toFixed(1)} GiB free`
  return free < littleSpace ? missing(name, space, "make room, or choose a larger volume") : ok(name, space)
}

const confFindings = async ({ conf }: All): Promise<ReadonlyArray<Finding>> => {
  const denied = await readableFolder(conf).then(() => undefined, messageOf)
  if (denied !== undefined) return [fault("configuration", denied, "set FLOW_CONF to the folder with tenants/")]
  const tenants = await readdir(join(conf, "tenants")).catch((): ReadonlyArray<string> => [])
  return [
    tenants.length === 0
      ? missing("configuration", `${conf} has no tenants`, "make a folder for each tenant in its folder tenants/")
      : ok("configuration", `${conf}, tenants: ${tenants.slice(0, 10).join(", ")}${tenants.length > 10 ? ", …" : ""}`)
  ]
}

const dataFindings = async (settings: All): Promise<ReadonlyArray<Finding>> => {
  const { blobs, data } = settings
  const holder = lockHolder(data)
  return [
    await folderFinding("data", "FLOW_DATA", data),
    ...(holder === undefined ? [] : [ok("gateway", `one runs on this data folder: ${holder}`)]),
    blobs.kind === "disk"
      ? await folderFinding("blobs", blobsVariable(settings), blobs.root)
      : ok("blobs", `s3, bucket ${blobs.bucket}; files of runs in ${dataRoot(settings)}`)
  ]
}

/** Seconds by which the database's clock may differ before times in answers contradict one another. */
const clockSkew = 5

/** The message of the innermost cause: what the server or the system reported. */
const deepest = (error: unknown): string => {
  if (Predicate.hasProperty(error, "reason")) return deepest(error.reason)
  if (Predicate.hasProperty(error, "cause") && error.cause !== undefined) return deepest(error.cause)
  return messageOf(error)
}

const databaseFindings = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1, connectTimeout: "5 seconds" })
    const rows = yield* sql<{ readonly version: string; readonly now: Date }>`
      select current_setting('server_version') as version, clock_timestamp() as now`
    const { now, version } = rows[0]!
    const history = yield* Effect.result(Effect.catchTag(refuseForeign(sql), "SqlError", Effect.die))
    if (Result.isFailure(history)) {
      return [fault("database", history.failure.message, "use the version that it belongs to, or a backup")]
    }
    const skew = Math.abs(now.getTime() - Date.now()) / 1000
    const server = ok("database", `PostgreSQL ${version} answers`)
    return Number.parseInt(version, 10) < 15
      ? [fault("database", `PostgreSQL ${version} is too old`, "use PostgreSQL 15 or newer")]
      : skew > clockSkew
        ? [server, missing("database clock", `differs by ${skew.toFixed(0)} seconds`, "keep both clocks with NTP")]
        : [server]
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.timeout("10 seconds"),
    Effect.catchCause((cause) =>
      Effect.succeed([
        fault(
          "database",
          `FLOW_DATABASE_URL cannot be used: ${deepest(Cause.squash(cause)).replaceAll(url, "…")}`,
          "start PostgreSQL, and check host, port, user and password"
        )
      ])
    )
  )

const embeddedFinding = async (): Promise<Finding> => {
  try {
    const program = findProgram("postgres")
    await access(program, constants.R_OK)
    return ok("database", `embedded PostgreSQL, ${program}`)
  } catch (error) {
    return fault("database", messageOf(error), "run npm ci on this machine, or set FLOW_DATABASE_URL")
  }
}

const soon = 14 * 24 * 60 * 60 * 1000

const tlsFinding = async ({ cert, key }: NonNullable<All["tls"]>): Promise<Finding> => {
  try {
    const certificate = new X509Certificate(await readFile(cert))
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(key)))) {
      return fault("tls", `${key} is not the key of ${cert}`, "set FLOW_TLS_CERT and FLOW_TLS_KEY to a pair")
    }
    const until = certificate.validToDate
    const named = `${certificate.subject.replaceAll("\n", ", ")}, valid until ${until.toISOString()}`
    return until.getTime() - Date.now() < soon ? missing("tls", named, "renew the certificate") : ok("tls", named)
  } catch (error) {
    return fault(
      "tls",
      messageOf(error),
      "set FLOW_TLS_CERT and FLOW_TLS_KEY to files in PEM that the gateway may read"
    )
  }
}

const away = (name: string) => (error: unknown) => [
  fault(name, messageOf(error), "bring the storage back, or choose another one")
]

/** The state of the folders and of the database that the settings name. Changes nothing. */
export const storageFindings = Effect.fn("Doctor.storageFindings")(function* (settings: All) {
  const { databaseUrl, tls } = settings
  const onDisk = Effect.promise(async () => [
    ...(await within(diskPatience, confFindings(settings)).catch(away("configuration"))),
    ...(await within(diskPatience, dataFindings(settings)).catch(away("data"))),
    ...(tls === undefined ? [] : [await tlsFinding(tls)]),
    ...(databaseUrl === undefined ? [await embeddedFinding()] : [])
  ])
  const database = databaseUrl === undefined ? [] : yield* databaseFindings(databaseUrl)
  return [...(yield* onDisk), ...(yield* fileFindings(settings)), ...database]
})
