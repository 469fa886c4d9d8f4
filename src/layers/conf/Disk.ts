import { join } from "node:path"
import { Effect, Layer } from "effect"
import { DirectoryRead } from "../../errors/DirectoryRead.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Conf } from "../../services/conf/Conf.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { within } from "../files/Deadline.ts"
import { fileOpener } from "./OpenFile.ts"
import { readTree } from "./Tree.ts"

/** The configuration folders below `<conf>/tenants/`. */
export const layer = Layer.effect(
  Conf,
  Effect.gen(function* () {
    const { conf, storageDeadline } = yield* Settings
    const openFile = fileOpener(storageDeadline)
    const folderOf = (tenant: string) => join(conf, "tenants", tenant)
    const unreachable = () => new StorageUnreachable({ storage: "data" })
    return Conf.of({
      tree: Effect.fn("Conf.tree")((tenant) =>
        Effect.tryPromise({ try: () => within(storageDeadline, readTree(folderOf(tenant))), catch: unreachable })
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
