import { readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { codeOf, isAbsent, isInside } from "../../drivers/files/OpenInside.ts"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Conf } from "../../services/conf/Conf.ts"
import { Settings } from "../../services/shared/Settings.ts"
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

/** What `read` finds, or nothing: a tenant of the access file may have no folder, when `conf` itself can be reached. */
const orNothing = <A>(conf: string, read: Promise<A>, nothing: A): Promise<A> =>
  read.catch(async (error) => {
    if (codeOf(error) !== "ENOENT" || !(await stat(conf)).isDirectory()) throw error
    return nothing
  })

/** The configuration folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Conf,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const openFile = fileOpener(storageDeadline)
    const folderOf = (tenant: TenantId) => join(conf, "tenants", tenant)
    const unreachable = () => new StorageUnreachable({ storage: "data" })
    return Conf.of({
      tree: Effect.fn("Conf.tree")((tenant) =>
        Effect.tryPromise({
          try: () => within(storageDeadline, orNothing(conf, readTree(folderOf(tenant)), {})),
          catch: unreachable
        })
      ),
      folders: Effect.fn("Conf.folders")((tenant, path) =>
        Effect.tryPromise({
          try: () => within(storageDeadline, orNothing(conf, foldersIn(folderOf(tenant), path), [])),
          catch: unreachable
        })
      ),
      open: Effect.fn("Conf.open")(function* (tenant, path) {
        const file = yield* openFile(folderOf(tenant), path)
        if (file === "directory") return yield* new DirectoryRead({ tenant, path })
        if (typeof file === "string") return yield* new NotFound({ kind: "file", tenant, id: path })
        return file
      })
    })
  })
)
