import { join } from "node:path"
import type { Order, RunSpec } from "../../protocol/RunProtocol.ts"
import type { EngineSettings } from "./EngineConfig.ts"
import { dataFolder, scratchFolder, unfinishedFolder } from "./RunFolders.ts"

/** The order of a run, with the folders that it may use. */
export const orderOf = async (
  settings: EngineSettings,
  { roots = {}, ...spec }: RunSpec,
  connections: number
): Promise<Order> => {
  const { tenant } = spec
  const name = `${spec.executionId.replace(/[^A-Za-z0-9_-]/g, "_")}.${spec.epoch}`
  return {
    spec,
    roots,
    conf: join(settings.confRoot, "tenants", tenant),
    data: dataFolder(settings.dataRoot, tenant),
    unfinished: join(unfinishedFolder(settings.dataRoot, tenant), name),
    scratch: join(scratchFolder(settings.tempRoot), `${tenant}.${name}`),
    blobs: settings.blobs,
    // Only runs that need the search receive its address.
    ...(connections > 0 && settings.search !== undefined ? { search: { ...settings.search, connections } } : {}),
    // A trial gets at least the default heap, so that it can take a warm child.
    memoryMib: Math.max(spec.flowline.settings.memory_mib ?? settings.memoryMib, spec.trial ? settings.memoryMib : 0),
    outputLines: settings.outputLines,
    outputBytes: settings.outputBytes,
    fileBytes: settings.fileBytes,
    outbound: settings.outbound,
    ownPorts: settings.ownPorts(),
    archiveLevel: settings.archiveLevel,
    python: spec.flowline.runtime === "pybatch" ? await settings.python?.(tenant) : undefined
  }
}
