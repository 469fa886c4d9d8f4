import { readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { isAbsent, isInside, orNothing } from "../../drivers/files/OpenInside.ts"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Conf } from "../../services/conf/Conf.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { fileOpener } from "./OpenFile.ts"
import { readTree } from "./Tree.ts"

/** The sorted names of folders, including links to folders inside `root`. */
const foldersIn = async (root: string, path: string): Promise<ReadonlyArray<string>> => {
  const folder = join(root, path)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return []
    throw error
  })
  const real = await realpath(root)
  const names: Array<string> = []
  for (const entry of entries) {
    if (entry.isDirectory()) names.push(entry.name)
    else if (entry.isSymbolicLink()) {
      const target = await realpath(join(folder, entry.name)).catch(() => undefined)
      if (target !== undefined && isInside(real, target) && (await stat(target)).isDirectory()) names.push(entry.name)
    }
  }
  return names.sort()
}

/** The configuration folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Conf,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const openFile = fileOpener(storageDeadline)
    const folderOf = (tenant: TenantId) => join(conf, "tenants", tenant)
    const unreachable = () => new StorageUnreachable({ storage: "data" })
    return Conf.of({
      tree: Effect.fn("Conf.tree")((tenant) => {
        const root = folderOf(tenant)
        return Effect.tryPromise({
          try: () => within(storageDeadline, readTree(root).catch(orNothing(root, {}))),
          catch: unreachable
        })
      }),
      folders: Effect.fn("Conf.folders")((tenant, path) => {
        const root = folderOf(tenant)
        return Effect.tryPromise({
          try: () => within(storageDeadline, foldersIn(root, path).catch(orNothing(root, []))),
          catch: unreachable
        })
      }),
      open: Effect.fn("Conf.open")(function* (tenant, path) {
        const file = yield* openFile(folderOf(tenant), path)
        if (file === "directory") return yield* new DirectoryRead({ tenant, path })
        if (typeof file === "string") return yield* new NotFound({ kind: "file", tenant, id: path })
        return file
      })
    })
  })
)
