import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { startOf } from "../ProcessStat.ts"
import { type Calls, codeOf, unit } from "./Calls.ts"

const host =
  hostname()
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 32) || "host"

/** The prefix of the temporary names of this process. */
export const ownName = `${process.pid}-${startOf(process.pid) ?? "0"}-${host}-`

/** A name that identifies the process: `<pid>-<start of the process>-<host>-<random>`. */
export const temporaryName = (): string => `${ownName}${randomBytes(8).toString("hex")}`

const day = 24 * 60 * 60 * 1000

/**
 * Whether the process of a name has died. If that is unknown, a name without a change for a day counts as abandoned.
 */
export const isAbandoned = (name: string, modified: number): boolean => {
  const [pid = "", start = "", madeOn = ""] = name.split("-")
  const known = madeOn === host && start !== "0" && fs.existsSync("/proc/self/stat")
  return known ? startOf(pid) !== start : Date.now() - modified > day
}

/**
 * Cleans up a folder of temporary names after dead processes. A name that ends in `.<sha256>` is a blob whose removal
 * was not finished: `restore` moves it back, because it may have been stored again since.
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
