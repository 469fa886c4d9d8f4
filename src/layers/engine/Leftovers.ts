import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { isProcessGone, processName } from "../../drivers/ProcessName.ts"

const monthMillis = 30 * 24 * 60 * 60 * 1000

const namesIn = (folder: string) => readdir(folder).catch((): ReadonlyArray<string> => [])

/** The last change of anything in the folder, in epoch milliseconds. */
const changed = async (path: string): Promise<number> => {
  const own = await stat(path).catch(() => undefined)
  if (own?.isDirectory() !== true) return own?.mtimeMs ?? 0
  const below = await Promise.all((await namesIn(path)).map((name) => changed(join(path, name))))
  return Math.max(own.mtimeMs, ...below)
}

/** Whether the gateway of this name is gone. One on another host cannot be asked: a month without a change decides. */
const isGone = async (name: string, path: string): Promise<boolean> =>
  isProcessGone(name) ?? Date.now() - (await changed(path)) > monthMillis

/** Where runs of this gateway keep unfinished data files, on the volume of the finished ones. */
export const unfinishedFolder = (dataRoot: string, tenant: string) => join(dataRoot, tenant, "unfinished", processName)

/** Where runs of this gateway keep what they need only while they run. */
export const scratchFolder = (tempRoot: string) => join(tempRoot, "runs", processName)

/** Removes what runs of dead gateways left. A folder that cannot be reached is left alone. */
export const sweepLeftovers = async (dataRoot: string, tempRoot: string): Promise<void> => {
  const tenants = await namesIn(dataRoot)
  for (const folder of [...tenants.map((tenant) => join(dataRoot, tenant, "unfinished")), join(tempRoot, "runs")]) {
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      if (name !== processName && (await isGone(name, path)))
        await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }
}
