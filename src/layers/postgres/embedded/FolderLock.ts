import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import { messageOf } from "../../../languages/ErrorMessage.ts"

/** Another gateway is using the data folder. */
export class FolderLocked extends Schema.TaggedError<FolderLocked>()("FolderLocked", {
  folder: Schema.String,
  /** The pid of the holder, if it has already been written. */
  pid: Schema.UndefinedOr(Schema.Int),
  message: Schema.String
}) {}

const Holder = Schema.fromJsonString(Schema.Struct({ pid: Schema.Int, startedAt: Schema.String }))

/**
 * Locks a data folder for this process until the scope closes. A second process fails immediately.
 *
 * The kernel holds the lock, through SQLite on `gateway.lock.db`. It is released however the holder ends, so there are
 * no stale locks, no confusion by reused pids and no race between two processes. It also works between containers that
 * share the folder, where pids mean nothing. The file `gateway.lock` names the holder (`pid`, `startedAt`) for
 * operators and for the error message.
 */
export const lockFolder = Effect.fn("FolderLock.lockFolder")(function* (
  folder: string
): Effect.fn.Return<void, FolderLocked, Scope.Scope> {
  const root = resolve(folder)
  yield* Effect.acquireRelease(take(root), (database) => Effect.sync(() => release(root, database)))
})

const take = (folder: string): Effect.Effect<DatabaseSync, FolderLocked> =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true })
      const database = new DatabaseSync(join(folder, "gateway.lock.db"))
      try {
        database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
        nameHolder(folder)
        return database
      } catch (cause) {
        database.close()
        throw cause
      }
    },
    catch: (cause) => refusal(folder, cause)
  })

/** Who holds the lock is alone here, and replaces what a holder that was killed has left. */
const nameHolder = (folder: string) => {
  const fresh = join(folder, "gateway.lock.new")
  rmSync(fresh, { force: true })
  const startedAt = new Date(performance.timeOrigin).toISOString()
  writeFileSync(fresh, Schema.encodeSync(Holder)({ pid: process.pid, startedAt }), { mode: 0o644 })
  renameSync(fresh, join(folder, "gateway.lock"))
}

const release = (folder: string, database: DatabaseSync) => {
  rmSync(join(folder, "gateway.lock"), { force: true })
  database.close()
}

/** SQLite's result code when another process holds the lock. */
const sqliteBusy = 5

const isBusy = (cause: unknown): boolean => cause instanceof Error && "errcode" in cause && cause.errcode === sqliteBusy

const whoHolds = (folder: string): string => {
  const holder = readHolder(folder)
  return holder === undefined ? "another process" : `process ${holder.pid}, running since ${holder.startedAt}`
}

const refusal = (folder: string, cause: unknown): FolderLocked => {
  if (!isBusy(cause)) {
    const reason = messageOf(cause)
    return new FolderLocked({
      folder,
      pid: undefined,
      message: `The data folder ${folder} cannot be locked: ${reason}`
    })
  }
  return new FolderLocked({
    folder,
    pid: readHolder(folder)?.pid,
    message: `The data folder ${folder} is in use by another gateway (${whoHolds(folder)}). Stop it, or choose another data folder.`
  })
}

/** Who holds the lock of a data folder, for people; undefined if nobody does. Changes nothing. */
export const lockHolder = (folder: string): string | undefined => {
  const path = join(folder, "gateway.lock.db")
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_master")
    return undefined
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    return whoHolds(folder)
  } finally {
    database.close()
  }
}

const readHolder = (folder: string): typeof Holder.Type | undefined => {
  try {
    return Schema.decodeUnknownSync(Holder)(readFileSync(join(folder, "gateway.lock"), "utf8"))
  } catch {
    return undefined
  }
}
