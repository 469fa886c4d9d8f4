import { stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Failure } from "../../drivers/Failure.ts"
import { within } from "../../drivers/files/Deadline.ts"
import { isAbsent } from "../../drivers/files/OpenInside.ts"
import { TenantFiles } from "../../drivers/files/TenantFiles.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { FoundFile } from "../../services/schedules/ScheduleStore.ts"
import { mostWatched, TenantFolders } from "../../services/schedules/TenantFolders.ts"
import { Settings } from "../../services/shared/Settings.ts"

const filesAtOnce = 64

const look = async (conf: string, tenant: string, path: string): Promise<ReadonlyArray<FoundFile> | string> => {
  const root = join(conf, "tenants", tenant)
  const hasFolder = await stat(root).catch(async (error) => {
    // Without the whole configuration, nothing is known of the folder.
    if (!isAbsent(error) || !(await stat(conf)).isDirectory()) throw error
    return undefined
  })
  if (hasFolder === undefined) return []
  const files = new TenantFiles(root)
  const paths = await files.found(path)
  if (paths.length > mostWatched) return `${JSON.stringify(path)} names more than ${mostWatched} files`
  const found: Array<FoundFile> = []
  for (let start = 0; start < paths.length; start += filesAtOnce) {
    const some = paths.slice(start, start + filesAtOnce).map(async (path) => {
      const real = await files.real(path)
      const at = real === undefined ? undefined : await stat(real, { bigint: true }).catch(() => undefined)
      return at?.isFile() === true ? [{ path, version: [at.dev, at.ino, at.size, at.mtimeNs].join("-") }] : []
    })
    found.push(...(await Promise.all(some)).flat())
  }
  return found
}

/** The tenants' configuration folders, in which `file_input` reads. */
export const layer = Layer.effect(
  TenantFolders,
  Effect.map(Settings, ({ conf, storageDeadline }) =>
    TenantFolders.of({
      files: Effect.fn("TenantFolders.files")((tenant, path) =>
        Effect.tryPromise({
          try: () =>
            within(
              storageDeadline,
              look(conf, tenant, path).catch((error) => {
                if (error instanceof Failure) return error.message
                throw error
              })
            ),
          catch: () => new StorageUnreachable({ storage: "data" })
        })
      )
    })
  )
)
