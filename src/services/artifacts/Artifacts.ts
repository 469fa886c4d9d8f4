import { Clock, Context, Effect, Layer, Predicate, Result, Scope, Stream } from "effect"
import { type Blob, Blobs } from "../../drivers/blobs/Blobs.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TooLarge } from "../../errors/TooLarge.ts"
import type { TooMany } from "../../errors/TooMany.ts"
import { VersionConflict } from "../../errors/VersionConflict.ts"
import { Audit, onlyDigest } from "../audit/Audit.ts"
import { type Content, contentOfBlob } from "../blobs/BlobContent.ts"
import { BlobSweep } from "../blobs/BlobSweep.ts"
import { type Most, mostOf, overQuota, quotaOf } from "../blobs/Quota.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { Uploads } from "../shared/capacity/Uploads.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { DeclaredFile, FormPart, PartRules } from "../shared/requests/FormRules.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ArtifactName, ArtifactVersion, GroupName } from "./Artifact.ts"
import { type ArtifactFilter, ArtifactStore, type StoredArtifact } from "./ArtifactStore.ts"
import { type Manifest, readManifest } from "./Manifest.ts"

/** Why an uploaded file's name cannot be the last segment of a path, or undefined when it can. */
const fileNameFault = (name: string): string | undefined => {
  if (name === "") return "the part needs a file name"
  if (name === "." || name === ".." || /[/\\]/.test(name)) return "a file name without folders is expected"
  if (/[\u0000-\u001f\u007f]/.test(name)) return "a file name without control characters is expected"
  return new TextEncoder().encode(name).length > 255 ? "a file name has at most 255 bytes" : undefined
}

const nameIssues = ({ filename = "" }: DeclaredFile): ReadonlyArray<Issue> => {
  const fault = fileNameFault(filename)
  return fault === undefined ? [] : [{ part: "input", detail: fault }]
}

/** The faults of a manifest, of which only the build's size and hash are not known, and of the build's name. */
export const uploadFaults: NonNullable<PartRules["faults"]> = (parts, file) => {
  const manifest = parts.get("manifest")
  const read = manifest === undefined ? undefined : readManifest(manifest.bytes, manifest.filename)
  return [
    ...(read?._tag === "Failure" ? (read.failure.issues ?? []) : []),
    ...(file === undefined ? [] : nameIssues(file))
  ]
}

/** A text build of up to this many bytes is included in its metadata. */
const contentBytes = 64 * 1024

/** The description of the build with its members in a fixed order, so that equal manifests give equal texts. */
const describedOf = ({ size, sha256, ...manifest }: Manifest): Record<string, unknown> => {
  const sorted = (value: unknown): unknown =>
    !Predicate.isObjectOrArray(value)
      ? value
      : Array.isArray(value)
        ? value.map(sorted)
        : Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, inner]) => [name, sorted(inner)])
          )
  return sorted(manifest) as Record<string, unknown>
}

export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** The maximum size of one file in bytes, with the name of its setting. */
    readonly most: (tenant: TenantId) => Most | undefined
    /** Stores the bytes of a build as they arrive. Nothing refers to the blob yet. */
    readonly store: (tenant: TenantId, source: AsyncIterable<Uint8Array>) => Effect.Effect<Blob, StorageUnreachable>
    /** Adds a stored build as the version that its manifest names. The result is its metadata as JSON text. */
    readonly add: (
      tenant: TenantId,
      build: Blob & { readonly file: DeclaredFile },
      manifest: FormPart,
      isNew: boolean,
      commit?: Commit<string>
    ) => Effect.Effect<
      string,
      BadRequest | Conflict | PreconditionFailed | StorageUnreachable | TooLarge | TooMany | VersionConflict
    >
    /** The metadata of a version (the latest by default) as JSON text. */
    readonly metadata: (
      tenant: TenantId,
      group: GroupName,
      artifact: ArtifactName,
      version?: ArtifactVersion
    ) => Effect.Effect<{ readonly json: string; readonly stored: StoredArtifact }, NotFound | StorageUnreachable>
    readonly list: (
      tenant: TenantId,
      filter: ArtifactFilter,
      span: ListSpan
    ) => Stream.Stream<ListRow, StorageUnreachable>
    readonly remove: (
      tenant: TenantId,
      group: GroupName,
      artifact: ArtifactName,
      versions?: ReadonlyArray<ArtifactVersion>
    ) => Effect.Effect<void, NotFound | StorageUnreachable>
    readonly content: (tenant: TenantId, sha256: string) => Content
  }
>()("flow/artifacts/Artifacts") {
  static readonly layer = Layer.effect(
    Artifacts,
    Effect.gen(function* () {
      const store = yield* ArtifactStore
      const blobs = yield* Blobs
      const sweep = yield* BlobSweep
      const audit = yield* Audit
      const rules = yield* TenantRules
      const refusals = yield* LimitRefusals
      const uploads = yield* Uploads
      const scope = yield* Scope.Scope
      yield* sweep.hold(store.references)

      // The location of the bytes is not stored because it depends on the settings.
      const whole = (tenant: TenantId, { doc, sha256 }: { readonly doc: string; readonly sha256: string }): string =>
        `${doc.slice(0, -1)},"storage":${JSON.stringify({ backend: blobs.backend, url: blobs.url(tenant, sha256) })}}`

      /** The build as text, when it is short and valid UTF-8. */
      const contentOf = Effect.fnUntraced(function* (tenant: TenantId, { sha256, size }: Blob) {
        if (size > contentBytes) return undefined
        const bytes = yield* Stream.mkUint8Array(yield* blobs.read(tenant, sha256))
        try {
          const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
          return text.includes("\u0000") ? undefined : text
        } catch {
          return undefined
        }
      })

      return Artifacts.of({
        most: (tenant) => mostOf(tenant, quotaOf(rules.limitsOf(tenant))),
        store: (tenant, source) => blobs.write(tenant, source),
        add: Effect.fn("Artifacts.add")(function* (tenant, build, part, isNew, commit = unkeyed) {
          const { sha256, size } = build
          const manifest = readManifest(part.bytes, part.filename, build)
          const file = build.file.filename ?? ""
          const misnamed = nameIssues(build.file)
          if (Result.isFailure(manifest)) {
            const { detail, issues = [] } = manifest.failure
            return yield* misnamed.length === 0
              ? manifest.failure
              : new BadRequest({ detail: detail!, issues: [...issues, ...misnamed] })
          }
          if (misnamed.length > 0) {
            return yield* new BadRequest({ detail: "The file name of the build is invalid", issues: misnamed })
          }
          const described = describedOf(manifest.success)
          const { group, artifact, version, type } = manifest.success
          const name = `${group}:${artifact}`
          const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString()
          const content = yield* contentOf(tenant, build)
          const { group: _g, artifact: _a, version: _v, type: _t, ...others } = described
          const first = { group, artifact, version, type, ...others }
          const doc = { ...first, createdAt, file, ...(content === undefined ? {} : { content }), size, sha256 }
          const wanted = {
            ...{ group, artifact, version, type, sha256, size },
            doc: JSON.stringify(doc),
            described: JSON.stringify({ ...described, file }),
            stored: `${group.replaceAll(".", "/")}/${artifact}/${file}`
          }
          const added = Effect.gen(function* () {
            const quota = quotaOf(rules.limitsOf(tenant))
            const change = { action: "resources.upload", target: `${name}:${version}`, after: sha256 }
            const expectsMore = uploads.underWay(tenant) > 0
            const put = yield* store.put(tenant, wanted, quota, yield* audit.entry(change), expectsMore)
            if (put._tag === "Over") return yield* refusals.refused(tenant, overQuota(tenant, put.usage, quota))
            const exists = `${name}:${version} already exists`
            if (isNew && put._tag !== "Stored") return yield* new PreconditionFailed({ detail: exists })
            if (put._tag === "Different") {
              const detail = `${exists} with another build or manifest`
              return yield* new VersionConflict({ tenant, name, versions: [version], detail })
            }
            return whole(tenant, put.artifact)
          })
          return yield* commit(added)
        }),
        metadata: Effect.fn("Artifacts.metadata")(function* (tenant, group, artifact, version) {
          const stored = yield* store.get(tenant, group, artifact, version)
          if (stored !== undefined) return { json: whole(tenant, stored), stored }
          const id = [group, artifact, ...(version === undefined ? [] : [version])].join(":")
          return yield* new NotFound({ kind: "resource", tenant, id })
        }),
        list: (tenant, filter, span) =>
          Stream.map(store.list(tenant, filter, span), ({ key, json, sha256 }) => ({
            key,
            json: whole(tenant, { doc: json, sha256 })
          })),
        remove: Effect.fn("Artifacts.remove")(function* (tenant, group, artifact, versions) {
          const only = versions === undefined ? "" : `:${versions.join(",")}`
          const removed = Effect.tap(store.remove(tenant, group, artifact, versions), (outcome) =>
            sweep.noteFreed(tenant, outcome._tag === "Removed" ? outcome.sha256s : [])
          )
          const outcome = yield* audit.change(tenant, removed, (outcome) =>
            outcome._tag === "Missing"
              ? undefined
              : {
                  action: "resources.remove",
                  target: `${group}:${artifact}${only}`,
                  before: onlyDigest(outcome.sha256s),
                  count: outcome.sha256s.length
                }
          )
          if (outcome._tag === "Removed") {
            yield* Effect.forkIn(Effect.ignore(sweep.release(tenant, outcome.sha256s)), scope)
            return
          }
          const name = `${group}:${artifact}`
          const missing = outcome.versions.join(", ")
          if (missing === "") return yield* new NotFound({ kind: "resource", tenant, id: name })
          const detail = `Nothing was deleted, because ${name} has no version ${missing}`
          return yield* new NotFound({ kind: "resource", tenant, id: `${name}:${outcome.versions.join(",")}`, detail })
        }),
        content: (tenant, sha256) => contentOfBlob(blobs, tenant, sha256)
      })
    })
  )
}
