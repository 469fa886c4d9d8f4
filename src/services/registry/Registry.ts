import { Context, Effect, Layer, Scope, Stream } from "effect"
import { type Blob, Blobs } from "../../drivers/blobs/Blobs.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { ResourceNotCreated } from "../../errors/ResourceNotCreated.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TooLarge } from "../../errors/TooLarge.ts"
import type { TooMany } from "../../errors/TooMany.ts"
import { Audit, onlyDigest } from "../audit/Audit.ts"
import { type Content, contentOfBlob } from "../blobs/BlobContent.ts"
import { BlobSweep } from "../blobs/BlobSweep.ts"
import { type Most, mostOf, overQuota, quotaOf } from "../blobs/Quota.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { pathFault } from "../shared/requests/RelativePath.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { RegistryDetails } from "./Entry.ts"
import { type Expected, RegistryStore, type RegistryVersion } from "./RegistryStore.ts"

/** A longer path could be stored, but not requested: it would exceed the limit of a URL. */
const maxPathBytes = 1024

/** The URL path of a version's download, percent-encoded. */
const downloadPath = (tenant: TenantId, { path, version }: RegistryVersion): string =>
  `/v1/${tenant}/registry/download/${path.split("/").map(encodeURIComponent).join("/")}?version=${version}`

export class Registry extends Context.Service<
  Registry,
  {
    /** Returns the path, or fails when nothing can be stored under it. */
    readonly check: (tenant: TenantId, path: string) => Effect.Effect<string, ResourceNotCreated>
    /** The maximum size of one file in bytes, with the name of its setting. */
    readonly most: (tenant: TenantId) => Most | undefined
    /** Stores the bytes of a file as they arrive. Nothing refers to the blob yet. */
    readonly store: (tenant: TenantId, source: AsyncIterable<Uint8Array>) => Effect.Effect<Blob, StorageUnreachable>
    /** Adds a stored blob as the next version of the path and returns its number. */
    readonly put: (
      tenant: TenantId,
      path: string,
      blob: Blob,
      expected: Expected,
      commit?: Commit<number>
    ) => Effect.Effect<
      number,
      Conflict | PreconditionFailed | ResourceNotCreated | StorageUnreachable | TooLarge | TooMany
    >
    readonly get: (
      tenant: TenantId,
      path: string,
      version?: number
    ) => Effect.Effect<RegistryVersion, NotFound | StorageUnreachable>
    /**
     * Deletes a version of a file, or the file with all versions. Its bytes are freed in the background. With `seen`, the
     * version, or else the latest one, must have this SHA-256.
     */
    readonly remove: (
      tenant: TenantId,
      path: string,
      version?: number,
      seen?: string
    ) => Effect.Effect<void, NotFound | PreconditionFailed | StorageUnreachable>
    readonly details: (tenant: TenantId, version: RegistryVersion) => RegistryDetails
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    readonly content: (tenant: TenantId, sha256: string) => Content
  }
>()("flow/registry/Registry") {
  static readonly layer = Layer.effect(
    Registry,
    Effect.gen(function* () {
      const store = yield* RegistryStore
      const blobs = yield* Blobs
      const sweep = yield* BlobSweep
      const audit = yield* Audit
      const rules = yield* TenantRules
      const refusals = yield* LimitRefusals
      yield* sweep.hold(store.references)

      const scope = yield* Scope.Scope

      const missing = (tenant: TenantId, path: string, version?: number) =>
        new NotFound({ kind: "resource", tenant, id: version === undefined ? path : `${path} ${version}` })

      const notCreated = (tenant: TenantId, path: string, detail: string) =>
        new ResourceNotCreated({ tenant, path: path.slice(0, 2048), detail })

      return Registry.of({
        most: (tenant) => mostOf(tenant, quotaOf(rules.limitsOf(tenant))),
        store: (tenant, source) => blobs.write(tenant, source),
        check: (tenant, path) => {
          const expected = pathFault(path)
          if (expected !== undefined) return notCreated(tenant, path, `Expected ${expected}`)
          return new TextEncoder().encode(path).length > maxPathBytes
            ? notCreated(tenant, path, `Expected a path of at most ${maxPathBytes} bytes`)
            : Effect.succeed(path)
        },
        put: Effect.fn("Registry.put")(function* (tenant, path, blob, expected, commit = unkeyed) {
          const put = Effect.gen(function* () {
            const quota = quotaOf(rules.limitsOf(tenant))
            const kept = yield* audit.change(tenant, store.put(tenant, path, blob, expected, quota), (kept) =>
              kept._tag === "Kept"
                ? { action: "registry.create", target: path, before: kept.before, after: blob.sha256 }
                : undefined
            )
            switch (kept._tag) {
              case "Over":
                return yield* refusals.refused(tenant, overQuota(tenant, kept.usage, quota))
              case "Blocked":
                return yield* notCreated(tenant, path, kept.detail)
              case "Unexpected":
                return yield* new PreconditionFailed({
                  detail: "The latest version of the path is not the expected one"
                })
              case "Kept":
                return kept.version
            }
          })
          return yield* commit(put)
        }),
        get: Effect.fn("Registry.get")(function* (tenant, path, version) {
          const found = pathFault(path) === undefined ? yield* store.get(tenant, path, version) : undefined
          return found ?? (yield* missing(tenant, path, version))
        }),
        remove: Effect.fn("Registry.remove")(function* (tenant, path, version, seen) {
          const removed = pathFault(path) === undefined ? store.remove(tenant, path, version, seen) : Effect.undefined
          const noted = Effect.tap(removed, (gone = []) => sweep.noteFreed(tenant, gone))
          const target = version === undefined ? path : `${path}?version=${version}`
          const sha256s = yield* audit.change(tenant, noted, (gone) =>
            gone === undefined
              ? undefined
              : { action: "registry.remove", target, before: onlyDigest(gone), count: gone.length }
          )
          if (sha256s === undefined) {
            return yield* seen === undefined
              ? missing(tenant, path, version)
              : new PreconditionFailed({ detail: "The path was changed meanwhile" })
          }
          yield* Effect.forkIn(Effect.ignore(sweep.release(tenant, sha256s)), scope)
        }),
        details: (tenant, version) => ({
          name: version.path,
          location: blobs.url(tenant, version.sha256),
          resource: downloadPath(tenant, version),
          timestamp: version.createdAt,
          size: version.size,
          version: version.version,
          sha256: version.sha256
        }),
        list: (tenant, span) =>
          Stream.map(store.list(tenant, span), ({ key, json, sha256 }) => ({
            key,
            json: `${json.slice(0, -1)},"location":${JSON.stringify(blobs.url(tenant, sha256))}}`
          })),
        content: (tenant, sha256) => contentOfBlob(blobs, tenant, sha256)
      })
    })
  )
}
