import { readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { isAbsent, isInside } from "../../drivers/files/OpenInside.ts"
import { packagePath } from "../../drivers/Package.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { type PageFolder, Pages } from "../../services/documentation/Pages.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { fileOpener } from "../conf/OpenFile.ts"

/**
 * The sorted paths of the files below a folder; empty when the folder itself is a link out of `root`. Links are
 * skipped, also those to folders: a list cannot check where each one leads, and even names could reveal files of
 * another tenant. (`readdir` with `recursive` follows links.)
 */
const filesOf = async (root: string, below: string): Promise<ReadonlyArray<string>> => {
  const none = <A>(instead: A) => {
    return (error: unknown): A => {
      if (isAbsent(error)) return instead
      throw error
    }
  }
  const top = await realpath(join(root, below)).catch(none(undefined))
  if (top === undefined || !isInside(await realpath(root), top)) return []
  const files: Array<string> = []
  const folders = [""]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(top, folder), { withFileTypes: true }).catch(none([]))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  return files.sort()
}

/** Pages on disk: the tenants' are in the configuration folder, the product's in its package. */
export const layer = Layer.effect(
  Pages,
  Effect.map(Settings, ({ conf, storageDeadline }) => {
    const openFile = fileOpener(storageDeadline)
    const shelf = (root: string, below: string): PageFolder => ({
      open: (path) =>
        Effect.map(openFile(root, below === "" ? path : `${below}/${path}`), (file) =>
          typeof file !== "string" ? file : file === "directory" ? "folder" : "missing"
        ),
      list: Effect.tryPromise({
        try: () => within(storageDeadline, filesOf(root, below)),
        catch: () => new StorageUnreachable({ storage: "data" })
      })
    })
    return Pages.of({
      tenant: (tenant) => shelf(join(conf, "tenants", tenant), "documentation"),
      product: shelf(packagePath("docs"), "")
    })
  })
)
