import { Context, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { S3Blobs } from "../../../protocol/Places.ts"
import { Blobs } from "../Blobs.ts"
import { Suspects } from "../Check.ts"
import { writing } from "../Transfer.ts"
import { Bucket, isMissing, refusalOf } from "./Bucket.ts"
import { checkBlob } from "./Check.ts"
import { blobSize, readBlob } from "./GetObject.ts"
import { type Keys, s3Keys } from "./Keys.ts"
import { isEmpty, listBlobs, page } from "./ListObjects.ts"
import { readOwner, writeOwner } from "./Owner.ts"
import { writeBlob } from "./PutObject.ts"
import { removeBefore, sweepLeftovers } from "./Remove.ts"
import { prepare, probe, type S3Refused } from "./Start.ts"

/** The bucket and the deadline of every step of a call. */
export class S3Config extends Context.Service<
  S3Config,
  { readonly place: S3Blobs; readonly deadline: Duration.Duration }
>()("flow/layers/blobs/S3Config") {
  static readonly layer = (place: S3Blobs, deadline: Duration.Input = "5 seconds") =>
    Layer.succeed(S3Config, { place, deadline: Duration.fromInputUnsafe(deadline) })
}

const unreachable = () => new StorageUnreachable({ storage: "data" })

const refused = (error: unknown): Effect.Effect<void> => {
  const refusal = refusalOf(error)
  if (refusal === undefined || refusal.name === "NoSuchKey") return Effect.void
  const { httpStatusCode: status, requestId } = refusal.$metadata
  return Effect.annotateLogs(Effect.logWarning("The S3 storage refused"), { error: refusal.name, status, requestId })
}

const blobsOf = (place: S3Blobs, bucket: Bucket, keys: Keys): Blobs["Service"] => {
  const suspects = new Suspects()
  const keysOf = (tenant: string, sha256: string) => ({
    sha256,
    blob: keys.blob(tenant, sha256),
    sums: keys.sums(tenant, sha256)
  })
  const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
      Effect.tapError(refused),
      Effect.mapError(unreachable)
    )

  const write = Effect.fn("Blobs.write")(
    <E = never>(tenant: string, source: AsyncIterable<Uint8Array>, onSourceError?: (cause: unknown) => E) =>
      writing(
        (signal) => writeBlob(bucket, keys, tenant, source, signal),
        (error) => Effect.andThen(refused(error), Effect.fail(unreachable())),
        onSourceError
      )
  )

  return Blobs.of({
    backend: "s3",
    url: (tenant, sha256) => `s3://${place.bucket}/${keys.blob(tenant, sha256)}`,
    write,
    size: Effect.fn("Blobs.size")((tenant, sha256) =>
      attempt(async () => {
        try {
          return await blobSize(bucket, keys.blob(tenant, sha256))
        } catch (error) {
          if (!isMissing(error)) throw error
        }
        // HEAD does not distinguish a missing blob from a missing bucket, so the bucket is checked too.
        await page(bucket, { Prefix: keys.base, MaxKeys: 1 })
        return undefined
      })
    ),
    read: Effect.fn("Blobs.read")((tenant, sha256, span) =>
      attempt((signal) => readBlob(bucket, keysOf(tenant, sha256), span, signal, () => suspects.add(tenant, sha256)))
    ),
    remove: Effect.fn("Blobs.remove")((tenant, sha256, writtenBefore) =>
      attempt(() => removeBefore(bucket, keys, tenant, sha256, writtenBefore))
    ),
    list: (tenant) => Stream.fromAsyncIterable(listBlobs(bucket, keys, tenant), unreachable),
    check: Effect.fn("Blobs.check")((tenant, sha256, bytesPerSecond) =>
      attempt((signal) => checkBlob(bucket, keysOf(tenant, sha256), keys.base, bytesPerSecond, signal))
    ),
    suspects: Effect.sync(() => suspects.take()),
    isEmpty: attempt(() => isEmpty(bucket, keys)),
    owner: attempt(() => readOwner(bucket, keys)),
    own: Effect.fn("Blobs.own")((installation) => attempt(() => writeOwner(bucket, keys, installation))),
    health: attempt(() => probe(bucket, keys))
  })
}

/** The clients of this process by bucket. */
const used = new WeakMap<S3Blobs, Bucket>()

/**
 * Blobs in a bucket, for a process that relies on the gateway to prepare and sweep it. Sends no request until it is
 * used. Layers of one bucket share a client that lives as long as the process.
 */
export const runLayer: Layer.Layer<Blobs, never, S3Config> = Layer.effect(
  Blobs,
  Effect.map(S3Config, ({ place, deadline }) => {
    const bucket = used.get(place) ?? new Bucket(place, Duration.toMillis(deadline))
    used.set(place, bucket)
    return blobsOf(place, bucket, s3Keys(place.prefix))
  })
)

/**
 * Blobs in a bucket, for the gateway. Fails when the bucket cannot be used, after waiting up to 30 seconds for a server
 * that does not respond yet. Leftovers of dead processes are removed in the background, now and every hour.
 */
export const layer: Layer.Layer<Blobs, S3Refused, S3Config> = Layer.effect(
  Blobs,
  Effect.gen(function* () {
    const { place, deadline } = yield* S3Config
    const keys = s3Keys(place.prefix)
    const bucket = yield* Effect.acquireRelease(
      Effect.sync(() => new Bucket(place, Duration.toMillis(deadline))),
      ({ client }) => Effect.sync(() => client.destroy())
    )
    yield* prepare(bucket, keys)
    yield* Effect.tryPromise({ try: () => sweepLeftovers(bucket, keys), catch: unreachable }).pipe(
      Effect.flatMap((swept) => (swept > 0 ? Effect.logInfo(`Unfinished blobs removed: ${swept}`) : Effect.void)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped
    )
    return blobsOf(place, bucket, keys)
  })
)
