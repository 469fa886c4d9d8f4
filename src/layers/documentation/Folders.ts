import { readdir } from "node:fs/promises"
import { join, relative } from "node:path"
import { Effect, Layer } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Pages, type Shelf } from "../../services/documentation/Pages.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { fileOpener } from "../conf/OpenFile.ts"
import { within } from "../files/Deadline.ts"
import { codeOf } from "../files/OpenInside.ts"
import { packagePath } from "../Package.ts"

const filesOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    // Links are left out: opening one tells whether it leads out of the folder, a list does not.
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort()
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return []
    throw error
  }
}

/** Pages on disk: the tenants' below the configuration, the product's in its package. */
export const layer = Layer.effect(
  Pages,
  Effect.map(Settings, ({ conf, storageDeadline }) => {
    const openFile = fileOpener(storageDeadline)
    const shelf = (root: string, below: string): Shelf => ({
      open: (path) =>
        Effect.map(openFile(root, below === "" ? path : `${below}/${path}`), (file) =>
          typeof file !== "string" ? file : file === "directory" ? "folder" : "missing"
        ),
      list: Effect.tryPromise({
        try: () => within(storageDeadline, filesOf(join(root, below))),
        catch: () => new StorageUnreachable({ storage: "data" })
      })
    })
    return Pages.of({
      tenant: (tenant) => shelf(join(conf, "tenants", tenant), "documentation"),
      product: shelf(packagePath("docs"), "")
    })
  })
)
