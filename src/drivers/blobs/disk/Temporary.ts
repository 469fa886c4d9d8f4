import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Failure.ts"
import { isProcessGone, processName } from "../../ProcessName.ts"
import { type Calls, unit } from "./FileCalls.ts"

/** The prefix of this process's temporary names. */
export const ownName = `${processName}-`

/** A new temporary name: `<pid>-<start of the process>-<host>-<random>`. It identifies the process. */
export const temporaryName = (): string => `${ownName}${randomUUID().replaceAll("-", "")}`

const day = 24 * 60 * 60 * 1000

/** Whether the process of the name has ended. Where that is unknown, a day without a change decides. */
export const isAbandoned = (name: string, modified: number): boolean =>
  isProcessGone(name) ?? Date.now() - modified > day

/**
 * Removes the temporary files of dead processes from a folder and returns how many. A name ending in `.<sha256>` is a
 * blob whose removal was interrupted: `restore` moves it back, because it may have been stored again since.
 */
export const sweepTemporary = async (
  call: Calls,
  folder: string,
  restore: (path: string, sha256: string) => Promise<void>
): Promise<number> => {
  const names = await call<Array<string>>((done) => fs.readdir(folder, done)).catch((error) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return []
    throw error
  })
  let swept = 0
  for (const name of names) {
    const path = join(folder, name)
    try {
      const { mtimeMs } = await call<fs.Stats>((done) => fs.stat(path, done))
      if (!isAbandoned(name, mtimeMs)) continue
      const sha256 = name.split(".")[1]
      if (sha256 !== undefined) await restore(path, sha256)
      await call(unit((done) => fs.unlink(path, done)))
      swept++
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error
    }
  }
  return swept
}
