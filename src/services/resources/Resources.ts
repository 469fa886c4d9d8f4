import { Context, Effect, Layer, Scope, Stream } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { Blobs, type StoredBlob } from "../../drivers/blobs/Blobs.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import { InvalidResource } from "../../errors/InvalidResource.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TooLarge } from "../../errors/TooLarge.ts"
import type { TooMany } from "../../errors/TooMany.ts"
import { VersionConflict } from "../../errors/VersionConflict.ts"
import { Audit, onlyDigest } from "../audit/Audit.ts"
import { type Content, contentOfBlob } from "../blobs/BlobContent.ts"
import { BlobSweep } from "../blobs/BlobSweep.ts"
import { DataArea } from "../blobs/DataArea.ts"
import { overQuota, quotaOf } from "../blobs/Quota.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ResourceAnswer, ResourceMetadata } from "./Resource.ts"
import { type Made, ResourceStore, type StoredVersion, type Transfer } from "./ResourceStore.ts"

/** Maximum bytes that the metadata of one version embeds, and that one answer embeds for all its versions. */
const maxEmbedded = 1024 * 1024
const maxEmbeddedTogether = 16 * maxEmbedded

/** The SHA-256 of the versions, if they have one content and it is a blob. */
const digestOf = (versions: ReadonlyArray<StoredVersion>): string | undefined =>
  onlyDigest([...new Set(versions.map(({ place }) => ("sha256" in place ? place.sha256 : "")))]) || undefined

/** The bytes of a version, open until the scope closes. */
interface VersionContent extends Content {
  readonly version: StoredVersion
  readonly size: number
  readonly etag: string
}

type Refusal = Conflict | InvalidResource | NotFound | StorageUnreachable | TooLarge | TooMany | VersionConflict

/** The request to register a file. */
export interface NewRegistration {
  readonly url: string
  readonly version?: number
  readonly size?: number
  readonly properties?: Readonly<Record<string, unknown>>
  readonly compression?: string
  readonly encoding?: string
}

export class Resources extends Context.Service<
  Resources,
  {
    readonly transfer: (
      tenant: TenantId,
      transfer: Transfer,
      commit?: Commit<ResourceAnswer>
    ) => Effect.Effect<ResourceAnswer, Refusal, Scope.Scope>
    /** Registers a file in the tenant's data area as a version of a stored resource. Its bytes stay where they are. */
    readonly register: (
      tenant: TenantId,
      name: string,
      registration: NewRegistration,
      commit?: Commit<ResourceAnswer>
    ) => Effect.Effect<ResourceAnswer, Refusal, Scope.Scope>
    readonly metadata: (
      tenant: TenantId,
      name: string,
      version?: number
    ) => Effect.Effect<ResourceAnswer, NotFound | StorageUnreachable, Scope.Scope>
    /** The metadata of the latest version of each name as JSON, ordered by name. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    readonly open: (
      tenant: TenantId,
      name: string,
      version?: number
    ) => Effect.Effect<VersionContent, NotFound | StorageUnreachable, Scope.Scope>
    readonly remove: (
      tenant: TenantId,
      name: string,
      version?: number
    ) => Effect.Effect<void, NotFound | StorageUnreachable>
    /** Removes the tenant's blobs that nothing refers to. With `dryRun` it only returns them. */
    readonly sweep: (tenant: TenantId, dryRun: boolean) => Effect.Effect<ReadonlyArray<StoredBlob>, StorageUnreachable>
  }
>()("flow/resources/Resources") {
  static readonly layer = Layer.effect(
    Resources,
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const blobs = yield* Blobs
      const area = yield* DataArea
      const sweep = yield* BlobSweep
      const audit = yield* Audit
      const rules = yield* TenantRules
      const refusals = yield* LimitRefusals
      const scope = yield* Scope.Scope
      yield* sweep.hold(store.references)

      const missing = (tenant: TenantId, name: string, version?: number) =>
        new NotFound({ kind: "resource", tenant, id: version === undefined ? name : `${name} ${version}` })

      /** The failure for a registration whose address leads to no file of the tenant's area. */
      const noFile = (tenant: TenantId, url: string, isPath: boolean) => {
        const shown = JSON.stringify(url.slice(0, 200))
        const what = isPath ? `There is no file ${shown}` : `The url ${shown} leads to no file`
        const cure = "give a path below it, such as tables/a.csv, or a file: URL"
        const detail = `${what} in the tenant's data area: ${cure}`
        return new NotFound({ kind: "resource", tenant, id: url, detail })
      }

      /** Opens the file or blob of a version; undefined when a registered file no longer exists. */
      const contentOf = Effect.fnUntraced(function* (
        tenant: TenantId,
        version: StoredVersion
      ): Effect.fn.Return<VersionContent | undefined, StorageUnreachable, Scope.Scope> {
        const { place } = version
        if ("sha256" in place) {
          const { sha256 } = place
          return { version, size: version.size, etag: sha256, ...contentOfBlob(blobs, tenant, sha256) }
        }
        const file = yield* area.open(tenant, place.path)
        if (file === undefined) return undefined
        const read: Content["read"] = (span) => Effect.succeed(file.read(span))
        return { version, size: file.size, etag: file.sha256, read, present: Effect.void }
      })

      const embeddedUrl = Effect.fnUntraced(function* (tenant: TenantId, version: StoredVersion) {
        const content = yield* contentOf(tenant, version)
        if (content === undefined || content.size > maxEmbedded) return undefined
        const bytes = yield* Stream.mkUint8Array(yield* content.read({ start: 0, end: content.size }))
        return `data:${mediaTypeOf(version.name).split(";")[0]};base64,${Base64.encode(bytes)}`
      })

      const plain = (tenant: TenantId, it: StoredVersion): ResourceMetadata => ({
        schema: "1.0",
        "@timestamp": it.createdAt,
        size: it.size,
        name: it.name,
        storage: {
          type: "sha256" in it.place ? blobs.backend : "external",
          url: "sha256" in it.place ? blobs.url(tenant, it.place.sha256) : area.url(tenant, it.place.path),
          ...(it.encoding === undefined ? {} : { encoding: it.encoding }),
          ...(it.compression === undefined ? {} : { compression: it.compression })
        },
        version: it.version,
        tenant,
        ...(it.properties === undefined ? {} : { properties: it.properties })
      })

      const metadataOf = Effect.fnUntraced(function* (tenant: TenantId, it: StoredVersion, embeds: boolean) {
        const metadata = plain(tenant, it)
        const url = it.embedded && embeds ? yield* embeddedUrl(tenant, it) : undefined
        if (url === undefined) return metadata
        const { compression } = metadata.storage
        const storage = { type: "embedded", encoding: "base64", url }
        return { ...metadata, storage: compression === undefined ? storage : { ...storage, compression } }
      })

      const answer = Effect.fnUntraced(function* (
        tenant: TenantId,
        name: string,
        message: string,
        versions: ReadonlyArray<StoredVersion>
      ) {
        let embedded = 0
        const metadata = yield* Effect.forEach(versions, (version) => {
          if (version.embedded) embedded += version.size
          return metadataOf(tenant, version, embedded <= maxEmbeddedTogether)
        })
        return { metadata, name, message, tenant } satisfies ResourceAnswer
      })

      const madeOrRefused = Effect.fnUntraced(function* (
        tenant: TenantId,
        made: Made,
        from: string,
        to: string,
        version?: number
      ) {
        switch (made._tag) {
          case "Missing":
            return yield* missing(tenant, from, version)
          case "Over":
            return yield* refusals.refused(tenant, overQuota(tenant, made.usage, quotaOf(rules.limitsOf(tenant))))
          case "Exists": {
            const { versions } = made
            const detail = `${to} already has version ${versions.slice(0, 20).join(", ")}`
            return yield* new VersionConflict({ tenant, name: to, versions, detail })
          }
          case "Made":
            return made.versions
        }
      })

      const find = Effect.fnUntraced(function* (tenant: TenantId, name: string, version?: number) {
        const versions = yield* store.versions(tenant, name, version)
        return versions.length === 0 ? yield* missing(tenant, name, version) : versions
      })

      return Resources.of({
        transfer: Effect.fn("Resources.transfer")(function* (tenant, transfer, commit = unkeyed) {
          const { from, to, version, embedded, isMove } = transfer
          if (embedded) {
            let together = 0
            for (const it of yield* find(tenant, from, version)) {
              // A registered file may have been deleted or changed since.
              const size = "path" in it.place ? yield* area.size(tenant, it.place.path) : it.size
              if (size === undefined) return yield* missing(tenant, from, it.version)
              if (size > maxEmbedded) {
                const detail = `Version ${it.version} has ${size} bytes; at most ${maxEmbedded} can be embedded`
                return yield* new InvalidResource({ tenant, name: from, limit: maxEmbedded, detail })
              }
              together += size
            }
            if (together > maxEmbeddedTogether) {
              const detail = `The versions have ${together} bytes; at most ${maxEmbeddedTogether} can be embedded at once`
              return yield* new InvalidResource({ tenant, name: from, limit: maxEmbeddedTogether, detail })
            }
          }
          const transferred = Effect.gen(function* () {
            const quota = quotaOf(rules.limitsOf(tenant))
            const made = yield* audit.change(tenant, store.transfer(tenant, transfer, quota), (made) => {
              if (made._tag !== "Made") return undefined
              const after = digestOf(made.versions)
              const action = isMove ? "stored.move" : "stored.copy"
              const before = isMove ? after : undefined
              return { action, target: `${from} -> ${to}`, before, after, count: made.versions.length }
            })
            const versions = yield* madeOrRefused(tenant, made, from, to, version)
            return yield* answer(tenant, from, isMove ? "moved" : "copied", versions)
          })
          return yield* commit(transferred)
        }),
        register: Effect.fn("Resources.register")(function* (
          tenant,
          name,
          { url, version, size, ...others },
          commit = unkeyed
        ) {
          const path = area.pathOf(tenant, url)
          const actual = path === undefined ? undefined : yield* area.size(tenant, path)
          if (path === undefined || actual === undefined) return yield* noFile(tenant, url, path !== undefined)
          if (size !== undefined && size !== actual) {
            const detail = `The data has ${actual} bytes, not ${size}`
            return yield* new InvalidResource({ tenant, name, detail })
          }
          const registration = { name, path, size: actual, ...(version === undefined ? {} : { version }), ...others }
          const registered = Effect.gen(function* () {
            const made = yield* audit.change(tenant, store.register(tenant, registration), ({ _tag }) =>
              _tag === "Made" ? { action: "stored.register", target: name } : undefined
            )
            return yield* answer(tenant, name, "registered", yield* madeOrRefused(tenant, made, name, name, version))
          })
          return yield* commit(registered)
        }),
        metadata: Effect.fn("Resources.metadata")(function* (tenant, name, version) {
          return yield* answer(tenant, name, "found", yield* find(tenant, name, version))
        }),
        sweep: Effect.fn("Resources.sweep")(function* (tenant, dryRun) {
          if (!dryRun) yield* audit.begin({ tenant, action: "stored.sweep", target: "" })
          return yield* sweep.run(tenant, dryRun)
        }),
        list: (tenant, span) =>
          Stream.map(store.list(tenant, span), ({ key, json }) => ({
            key,
            json: JSON.stringify(plain(tenant, JSON.parse(json) as StoredVersion))
          })),
        open: Effect.fn("Resources.open")(function* (tenant, name, version) {
          const latest = (yield* find(tenant, name, version)).at(-1)!
          return (yield* contentOf(tenant, latest)) ?? (yield* missing(tenant, name, version))
        }),
        remove: Effect.fn("Resources.remove")(function* (tenant, name, version) {
          const target = version === undefined ? name : `${name}?version=${version}`
          const removed = Effect.tap(store.remove(tenant, name, version), (gone = []) => sweep.noteFreed(tenant, gone))
          const freed = yield* audit.change(tenant, removed, (gone) =>
            gone === undefined
              ? undefined
              : { action: "stored.remove", target, before: onlyDigest(gone), count: Math.max(1, gone.length) }
          )
          if (freed === undefined) return yield* missing(tenant, name, version)
          yield* Effect.forkIn(Effect.ignore(sweep.release(tenant, freed)), scope)
        })
      })
    })
  )
}
