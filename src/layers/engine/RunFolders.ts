import * as fs from "node:fs"
import { lstat, readdir, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { processCalls } from "../../drivers/blobs/disk/FileCalls.ts"
import { Root } from "../../drivers/blobs/disk/Folder.ts"
import { codeOf } from "../../drivers/Failure.ts"
import { unfinishedIn, unfinishedOf } from "../../drivers/files/Area.ts"
import { isProcessGone, processName } from "../../drivers/ProcessName.ts"
import { storageDeadline } from "../../protocol/Liveness.ts"
import type { Root as WritableRoot } from "../../protocol/Roots.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import type { EngineSettings } from "./EngineConfig.ts"
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

/** The form of {@link processName}. */
const gatewayName = /^\d+-\d+-[A-Za-z0-9]+$/

/** Removes the entries of a folder that belong to gateways that have ended. */
const sweepFolder = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    if (name !== processName && gatewayName.test(name) && (await isGone(name, path)))
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/**
 * Whether the path, at some depth in a root, is a folder behind no link. Others may write in a root, and their links could
 * lead to folders that only the gateway's user may change.
 */
const isFolderOf = async (root: WritableRoot, path: string): Promise<boolean> =>
  path === root.path ||
  ((await lstat(path).catch(() => undefined))?.isDirectory() === true && (await isFolderOf(root, dirname(path))))

/** Removes the leftovers of runs of dead gateways in a root. */
export const sweepRoot = async (root: WritableRoot): Promise<void> => {
  const folder = unfinishedIn(root)
  if (await isFolderOf(root, folder)) await sweepFolder(folder)
}

/** Removes the unfinished files of a run in a root. */
export const removeUnfinished = async (root: WritableRoot, order: Pick<Order, "scratch">): Promise<void> => {
  const folder = unfinishedOf(root, order)
  if (await isFolderOf(root, folder)) await rm(folder, { recursive: true, force: true })
}

/** Removes the leftovers of runs of dead gateways. Folders that cannot be reached are skipped. */
export const sweepLeftovers = async (dataRoot: string, tempRoot: string): Promise<void> => {
  const tenants = await namesIn(dataRoot)
  for (const folder of [...tenants.map((tenant) => join(dataRoot, tenant, "unfinished")), join(tempRoot, "runs")]) {
    await sweepFolder(folder)
  }
}

/**
 * The folders of runs. Folders with lasting data are in roots that are made only when the gateway starts: a root that is
 * missing later is on a disk that is not mounted, and data that runs wrote there would be hidden when it is mounted again.
 */
export class RunFolders {
  readonly #call = processCalls(storageDeadline)
  readonly #roots: ReadonlyArray<Root>

  constructor({ blobs, dataRoot }: Pick<EngineSettings, "blobs" | "dataRoot">) {
    const paths = new Set([dataRoot, ...(blobs.kind === "disk" ? [blobs.root] : [])])
    this.#roots = [...paths].map((path) => new Root(path, this.#call))
  }

  /** Makes the roots. A root that cannot be reached yet is made for the first run that finds it reachable. */
  async prepare(): Promise<void> {
    await Promise.all(this.#roots.map((root) => root.prepare().catch(() => {})))
  }

  async #made(folder: string, recursive: boolean): Promise<void> {
    const make = this.#call<unknown>((done) => fs.mkdir(folder, { recursive, mode: 0o700 }, done))
    await make.catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error
    })
  }

  /** Makes the folders of one run; fails while their storage is unreachable, full or read-only. */
  async make(order: Order): Promise<void> {
    for (const root of this.#roots) await root.present()
    for (const folder of writtenFolders(order)) await this.#made(folder, folder === order.scratch)
  }
}
