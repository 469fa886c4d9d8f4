import { createHash } from "node:crypto"
import { Effect, Layer, Stream } from "effect"
import { Blobs, type ByteSpan } from "../../src/drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"

const chunkSize = 512 * 1024

const chunks = function* (bytes: Uint8Array, span: ByteSpan) {
  for (let at = span.start; at < span.end; at += chunkSize) yield bytes.subarray(at, Math.min(at + chunkSize, span.end))
}

const collect = async (source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Buffer> => {
  const parts: Array<Uint8Array> = []
  for await (const chunk of source) {
    signal.throwIfAborted()
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

/** Blobs that live as long as the layer. */
export const layer: Layer.Layer<Blobs> = Layer.sync(Blobs, () => {
  let owner: string | undefined
  const stored = new Map<string, { readonly bytes: Buffer; readonly storedAt: number }>()
  const keyOf = (tenant: string, sha256: string) => `${tenant}/${sha256}`
  return Blobs.of({
    backend: "memory",
    url: (tenant, sha256) => `memory:///${keyOf(tenant, sha256)}`,
    write: <E = never>(
      tenant: string,
      source: AsyncIterable<Uint8Array>,
      onSourceError?: (cause: unknown) => E
    ): Effect.Effect<{ readonly sha256: string; readonly size: number }, StorageUnreachable | E> =>
      Effect.promise((signal) =>
        collect(source, signal).then(
          (bytes) => ({ bytes }),
          (cause: unknown) => ({ cause })
        )
      ).pipe(
        Effect.flatMap((result) => {
          if ("cause" in result) {
            return onSourceError === undefined ? Effect.die(result.cause) : Effect.fail(onSourceError(result.cause))
          }
          const sha256 = createHash("sha256").update(result.bytes).digest("hex")
          stored.set(keyOf(tenant, sha256), { bytes: result.bytes, storedAt: Date.now() })
          return Effect.succeed({ sha256, size: result.bytes.length })
        })
      ),
    size: (tenant, sha256) => Effect.sync(() => stored.get(keyOf(tenant, sha256))?.bytes.length),
    read: (tenant, sha256, span) =>
      Effect.suspend(() => {
        const blob = stored.get(keyOf(tenant, sha256))
        const end = span?.end ?? blob?.bytes.length ?? 0
        return blob === undefined || end > blob.bytes.length
          ? Effect.fail(new StorageUnreachable({ storage: "data" }))
          : Effect.succeed(Stream.fromIterable(chunks(blob.bytes, { start: span?.start ?? 0, end }), { chunkSize: 1 }))
      }),
    remove: (tenant, sha256, writtenBefore) =>
      Effect.sync(() => {
        const blob = stored.get(keyOf(tenant, sha256))
        if (blob === undefined || blob.storedAt >= writtenBefore) return false
        return stored.delete(keyOf(tenant, sha256))
      }),
    list: (tenant) =>
      Stream.suspend(() =>
        Stream.fromIterable(
          [...stored]
            .filter(([key]) => key.startsWith(`${tenant}/`))
            .map(([key, { bytes, storedAt }]) => ({
              sha256: key.slice(tenant.length + 1),
              size: bytes.length,
              storedAt
            }))
            .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
        )
      ),
    check: (tenant, sha256) => Effect.sync(() => (stored.has(keyOf(tenant, sha256)) ? "sound" : "missing")),
    suspects: Effect.succeed([]),
    isEmpty: Effect.sync(() => stored.size === 0),
    owner: Effect.sync(() => owner),
    own: (installation) =>
      Effect.sync(() => {
        owner = installation
      }),
    health: Effect.void
  })
})
