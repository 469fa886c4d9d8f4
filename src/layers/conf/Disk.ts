import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Conf, type ConfFile } from "../../services/conf/Conf.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { chunksOf } from "../files/Chunks.ts"
import { within } from "../files/Deadline.ts"
import { type OpenedFile, type OpenFailure, openInside } from "../files/OpenInside.ts"
import { fileHashes } from "./Hashes.ts"
import { readTree } from "./Tree.ts"

const close = async (opened: OpenedFile | OpenFailure) => {
  if (typeof opened !== "string") await opened.handle.close()
}

/** The configuration folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Conf,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const hashOf = fileHashes(storageDeadline)
    const folderOf = (tenant: string) => join(conf, "tenants", tenant)
    const unreachable = () => new StorageUnreachable({ storage: "data" })
    return Conf.of({
      tree: Effect.fn("Conf.tree")((tenant) =>
        Effect.tryPromise({ try: () => within(storageDeadline, readTree(folderOf(tenant))), catch: unreachable })
      ),
      open: Effect.fn("Conf.open")(function* (tenant, path) {
        const opened = yield* Effect.acquireRelease(
          Effect.tryPromise({
            try: () => within(storageDeadline, openInside(folderOf(tenant), path), close),
            catch: unreachable
          }),
          (opened) => Effect.promise(() => close(opened))
        )
        if (opened === "directory") return yield* new DirectoryRead({ tenant, path })
        if (typeof opened === "string") return yield* new NotFound({ kind: "file", tenant, id: path })
        const file: ConfFile = {
          size: opened.size,
          lastModified: opened.modifiedAt,
          sha256: yield* Effect.tryPromise({ try: () => hashOf(opened), catch: unreachable }),
          read: (span = { start: 0, end: opened.size }) =>
            Stream.mapError(chunksOf(opened.handle, span, storageDeadline), unreachable)
        }
        return file
      })
    })
  })
)
