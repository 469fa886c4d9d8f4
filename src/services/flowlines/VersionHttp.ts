import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { download } from "../http/Download.ts"
import { idempotent } from "../http/Idempotency.ts"
import { jsonText } from "../http/JsonText.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import { IdempotencyStore } from "../shared/idempotency/IdempotencyStore.ts"
import { TenantId } from "../shared/Tenant.ts"
import { tagOf } from "./FlowlineNames.ts"
import { savedIn } from "./SavedHttp.ts"
import { FlowlineVersions } from "./versions/FlowlineVersions.ts"
import { fileOf, textOf } from "./versions/VersionTexts.ts"

/** Memory of a version in bytes: its file, its definition, and the answer that is made of both. */
const versionBytes = 24 * 1024 * 1024

interface VersionParams {
  readonly tenant: string
  readonly id: string
  readonly version: number
}

/** The endpoints of a saved version. */
export const savedVersions = Effect.gen(function* () {
  const versions = yield* FlowlineVersions
  const answers = yield* IdempotencyStore

  const readVersion = Effect.fnUntraced(function* ({ tenant: name, id, version }: VersionParams) {
    const tenant = TenantId(name)
    const memory = yield* RequestMemory
    const held = yield* memory.hold(tenant, versionBytes)
    const found = yield* versions.get(tenant, FlowlineId(id), version)
    return { tenant, held, found, file: fileOf(found) }
  })

  const get = Effect.fnUntraced(function* (params: VersionParams) {
    const { found, held, file } = yield* readVersion(params)
    const body = {
      id: found.id,
      version: found.version,
      "@timestamp": found.savedAt,
      platformId: found.platformId,
      current: found.version === found.current,
      original: found.file !== undefined,
      size: (found.file?.bytes ?? new TextEncoder().encode(found.dag)).length,
      filename: found.file?.name ?? null,
      restored: found.restored ?? null,
      sha256: yield* hexDigest(found.dag),
      text: textOf(file)
    }
    // The definition is JSON already.
    return yield* jsonText(`${JSON.stringify(body).slice(0, -1)},"flowline":${found.dag}}`, held)
  })

  const getFile = Effect.fnUntraced(function* (params: VersionParams, request: HttpServerRequest.HttpServerRequest) {
    const { tenant, found, file } = yield* readVersion(params)
    const { bytes, name = found.id } = file
    return yield* download({
      tenant,
      request,
      size: bytes.length,
      etag: tagOf(found.id, found.version),
      lastModified: new Date(found.savedAt),
      filename: name,
      contentType: mediaTypeOf(name),
      disposition: "attachment",
      read: ({ start, end }) => Effect.succeed(Stream.make(bytes.subarray(start, end)))
    })
  })

  const diff = Effect.fnUntraced(function* (params: VersionParams & { readonly other: number }) {
    const tenant = TenantId(params.tenant)
    const held = yield* (yield* RequestMemory).hold(tenant, 2 * versionBytes)
    const found = yield* versions.diff(tenant, FlowlineId(params.id), params.version, params.other)
    return yield* jsonText(found, held)
  })

  const restore = (params: VersionParams, request: HttpServerRequest.HttpServerRequest) => {
    const tenant = TenantId(params.tenant)
    const ifMatch = request.headers["if-match"]
    return idempotent(answers, request, tenant, new Uint8Array(), (answered) =>
      versions.restore(tenant, FlowlineId(params.id), params.version, ifMatch, answered(savedIn(tenant)))
    )
  }

  return { get, getFile, diff, restore }
})
