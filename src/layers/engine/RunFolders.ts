import { mkdir, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { isProcessGone, processName } from "../../drivers/ProcessName.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import { writtenFolders } from "./RunLauncher.ts"

const monthMillis = 30 * 24 * 60 * 60 * 1000

const namesIn = (folder: string) => readdir(folder).catch((): ReadonlyArray<string> => [])

/** The latest modification of the folder or its entries, in epoch milliseconds. */
const changed = async (path: string): Promise<number> => {
  const own = await stat(path).catch(() => undefined)
  if (own?.isDirectory() !== true) return own?.mtimeMs ?? 0
  const below = await Promise.all((await namesIn(path)).map((name) => changed(join(path, name))))
  return Math.max(own.mtimeMs, ...below)
}

/** Whether the gateway of this name has ended. For one on another host, a month without a change decides. */
const isGone = async (name: string, path: string): Promise<boolean> =>
  isProcessGone(name) ?? Date.now() - (await changed(path)) > monthMillis

/** Folder for unfinished data files of this gateway's runs, on the volume of the finished ones. */
export const unfinishedFolder = (dataRoot: string, tenant: string) => join(dataRoot, tenant, "unfinished", processName)

/** Folder for the tenant's finished data files. */
export const dataFolder = (dataRoot: string, tenant: string) => join(dataRoot, tenant, "data")

/** Folder for temporary files of this gateway's runs. */
export const scratchFolder = (tempRoot: string) => join(tempRoot, "runs", processName)

/**
 * Removes the entries of a folder that belong to gateways that have ended. The entries' names are those of gateways.
 */
export const sweepFolder = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    if (name !== processName && (await isGone(name, path)))
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/** Removes the leftovers of runs of dead gateways. Folders that cannot be reached are skipped. */
export const sweepLeftovers = async (dataRoot: string, tempRoot: string): Promise<void> => {
  const tenants = await namesIn(dataRoot)
  for (const folder of [...tenants.map((tenant) => join(dataRoot, tenant, "unfinished")), join(tempRoot, "runs")]) {
    await sweepFolder(folder)
  }
}

/**
 * Makes the folders that an isolated run is given. If one cannot be made, the run itself reports that it is missing.
 */
export const makePlaces = async (order: Order): Promise<void> => {
  for (const folder of writtenFolders(order)) await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {})
}
