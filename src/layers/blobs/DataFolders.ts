import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect, Layer, Schema } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { openInside } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { DataArea } from "../../services/blobs/DataArea.ts"
import { RelativePath } from "../../services/shared/requests/RelativePath.ts"
import { dataRoot, Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { fileOpener } from "../conf/OpenFile.ts"

const isRelativePath = Schema.is(RelativePath)

/** The data areas on this machine's disk: `<root>/<tenant>/data/`. */
export const layer = Layer.effect(
  DataArea,
  Effect.map(Settings, (settings) => {
    const root = resolve(dataRoot(settings))
    const { storageDeadline } = settings
    const folder = (tenant: TenantId) => join(root, tenant, "data")
    const openFile = fileOpener(storageDeadline)
    const unreachable = () => new StorageUnreachable({ storage: "data" })
    // The tenant's area may not exist yet. A missing root, however, means that the disk is unreachable.
    const made = (tenant: TenantId) =>
      Effect.tryPromise({
        try: async () => {
          await within(
            storageDeadline,
            mkdir(join(root, tenant), { recursive: false }).catch(() => {})
          )
          await within(
            storageDeadline,
            mkdir(folder(tenant)).catch(() => {})
          )
        },
        catch: unreachable
      })
    const pathOf = (tenant: TenantId, address: string): string | undefined => {
      if (!address.startsWith("file:")) {
        return isRelativePath(address) && !/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : undefined
      }
      try {
        const url = new URL(address)
        const path = url.host === "" && url.search === "" && url.hash === "" ? fileURLToPath(url) : ""
        const start = `${folder(tenant)}/`
        // `..` segments are already resolved here, so the URL must begin with the area's own prefix.
        const inside = path.startsWith(start) ? path.slice(start.length) : ""
        return isRelativePath(inside) && !/(^|\/)\.\.?(\/|$)/.test(decodeURIComponent(address)) ? inside : undefined
      } catch {
        return undefined
      }
    }
    return DataArea.of({
      pathOf,
      url: (tenant, path) => pathToFileURL(join(folder(tenant), path)).href,
      open: Effect.fn("DataArea.open")(function* (tenant, path) {
        yield* made(tenant)
        const file = yield* openFile(folder(tenant), path)
        return typeof file === "string" ? undefined : file
      }),
      size: Effect.fn("DataArea.size")(function* (tenant, path) {
        yield* made(tenant)
        return yield* Effect.tryPromise({
          try: async () => {
            const opened = await within(storageDeadline, openInside(folder(tenant), path))
            if (typeof opened === "string") return undefined
            await opened.handle.close()
            return opened.size
          },
          catch: unreachable
        })
      })
    })
  })
)
