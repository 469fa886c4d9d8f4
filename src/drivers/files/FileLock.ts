import { createHash } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Predicate from "effect/Predicate"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { Failure } from "../Failure.ts"

/** SQLite's result code when another process holds the lock. */
const sqliteBusy = 5
/** Milliseconds between two tries. */
const pause = 100

/**
 * Locks a path for this process, or throws once the patience (milliseconds) is over. Answers the function that releases
 * it. The kernel holds the lock, through SQLite on a file of the folder, so that it ends with the process, however that
 * ends. The file stays: removing it would let two processes lock two files of the same name.
 */
export const lockPath = async (
  folder: string,
  path: string,
  patience: number,
  signal?: AbortSignal
): Promise<() => void> => {
  // Loaded here, because few runs append.
  const { DatabaseSync } = await import("node:sqlite")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = join(folder, `${createHash("sha256").update(path).digest("hex").slice(0, 32)}.db`)
  const take = (): (() => void) | undefined => {
    const database = new DatabaseSync(name)
    try {
      database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
      return () => database.close()
    } catch (cause) {
      database.close()
      if (Predicate.hasProperty(cause, "errcode") && cause.errcode === sqliteBusy) return undefined
      const reason = messageOf(cause)
      throw new Failure(`The file "${path}" cannot be locked: ${reason}`)
    }
  }
  const until = performance.now() + patience
  for (;;) {
    const release = take()
    if (release !== undefined) return release
    if (performance.now() > until) throw new Failure(`Another run appends to the file "${path}"`)
    await sleep(pause, undefined, { signal })
  }
}
