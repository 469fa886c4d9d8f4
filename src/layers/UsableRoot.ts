import { realpath } from "node:fs/promises"
import type { Root } from "../protocol/Roots.ts"
import { type OwnPlace, overlapFault } from "../services/shared/settings/RootRules.ts"
import { readableFolder, UnusableFolder, writableFolder } from "./UsableFolder.ts"

/**
 * Checks the folder of a root: it must exist, and must not expose anything that the gateway keeps for itself, not even
 * through links. Fails with an {@link UnusableFolder}, or with the original error when the storage is in trouble.
 */
export const usableRoot = async (name: string, { path, writable }: Root, own: ReadonlyArray<OwnPlace>) => {
  try {
    await readableFolder(path)
    if (writable) await writableFolder(path, 0o755)
    const real = await realpath(path)
    const places = await Promise.all(
      own.map(async ({ setting, path }) => ({ setting, path: await realpath(path).catch(() => path) }))
    )
    const fault = overlapFault(path, own) ?? overlapFault(real, places)
    if (fault !== undefined) throw new UnusableFolder(fault)
  } catch (error) {
    throw error instanceof UnusableFolder ? new UnusableFolder(`${name}: ${error.message}`) : error
  }
}
