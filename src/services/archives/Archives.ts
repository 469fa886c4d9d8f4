import { Context, Effect, Layer, Scope, type Stream } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Audit } from "../audit/Audit.ts"
import { type Content, contentOfBlob } from "../blobs/BlobContent.ts"
import { BlobSweep } from "../blobs/BlobSweep.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Archive, ArchiveId } from "./Archive.ts"
import { ArchiveStore } from "./ArchiveStore.ts"

// The format of execution ids; any other id cannot name an archive.
const plausible = /^[A-Za-z0-9_-]{1,128}$/

/** Lists, reads and removes the archives of executions. */
export class Archives extends Context.Service<
  Archives,
  {
    readonly get: (tenant: TenantId, id: ArchiveId) => Effect.Effect<Archive, NotFound | StorageUnreachable>
    /**
     * The bytes of an archive. A read that has begun can finish when the archive is removed; one that begins later fails
     * with `NotFound`.
     */
    readonly content: (tenant: TenantId, archive: Archive) => Content<NotFound | StorageUnreachable>
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    readonly remove: (tenant: TenantId, id: ArchiveId) => Effect.Effect<void, NotFound | StorageUnreachable>
    readonly removeAll: (tenant: TenantId) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/archives/Archives") {
  static readonly layer = Layer.effect(
    Archives,
    Effect.gen(function* () {
      const store = yield* ArchiveStore
      const blobs = yield* Blobs
      const sweep = yield* BlobSweep
      const audit = yield* Audit
      const scope = yield* Scope.Scope
      yield* sweep.hold(store.references)

      // An archive is deleted as soon as its row is. Its blob is freed in the background, so that the request does not
      // wait; if the storage is unreachable now, a later sweep frees it.
      const inBackground = (freeing: Effect.Effect<number, StorageUnreachable>) =>
        Effect.forkIn(Effect.ignore(freeing), scope)

      const get = Effect.fn("Archives.get")(function* (tenant: TenantId, id: ArchiveId) {
        const archive = plausible.test(id) ? yield* store.get(tenant, id) : undefined
        return archive ?? (yield* new NotFound({ kind: "archive", tenant, id }))
      })

      return Archives.of({
        get,
        list: store.list,
        content: (tenant, archive) => {
          const { read, present } = contentOfBlob(blobs, tenant, archive.sha256)
          const orNotFound = <A>(reading: Effect.Effect<A, StorageUnreachable>) =>
            Effect.tapError(reading, () => get(tenant, archive.id))
          return { read: Effect.fn("Archives.read")((span) => orNotFound(read(span))), present: orNotFound(present) }
        },
        remove: Effect.fn("Archives.remove")(function* (tenant, id) {
          const removed = plausible.test(id)
            ? Effect.tap(store.remove(tenant, id), (sha256) =>
                sweep.noteFreed(tenant, sha256 === undefined ? [] : [sha256])
              )
            : Effect.undefined
          const sha256 = yield* audit.change(tenant, removed, (before) =>
            before === undefined ? undefined : { action: "archives.remove", target: id, before }
          )
          if (sha256 === undefined) return yield* new NotFound({ kind: "archive", tenant, id })
          yield* inBackground(sweep.release(tenant, [sha256]))
        }),
        removeAll: Effect.fn("Archives.removeAll")(function* (tenant) {
          yield* audit.change(tenant, store.removeAll(tenant), (count) => ({
            action: "archives.removeAll",
            target: "",
            count
          }))
          yield* inBackground(sweep.sweep(tenant))
        })
      })
    })
  )
}
