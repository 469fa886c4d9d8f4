import { Clock, Context, Duration, Effect, Layer, Stream } from "effect"
import { Blobs, type StoredBlob } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { inBackground, survive } from "../shared/Background.ts"
import { type TenantId, Tenants } from "../shared/Tenant.ts"

/** Returns which of the given blobs the rows of one feature refer to. */
export type Holder = (
  tenant: TenantId,
  sha256s: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>

/** Maximum number of blobs in the answer to one request. */
const maxShown = 10_000

/** Number of blobs that the holders are asked about at once. */
const batch = 500

/**
 * Removes blobs that nothing refers to.
 *
 * Bytes are stored before the row that refers to them, so a new blob without a row may still be in use. Therefore a
 * blob is kept for a `grace` period after it was last written (a write that finds the blob already stored counts too):
 * a writer has that long to commit its row. A row that takes over a blob from another row without writing it must lock
 * that row until it commits.
 */
export class BlobSweep extends Context.Service<
  BlobSweep,
  {
    /**
     * Registers a feature whose rows refer to blobs, when the feature is built. The blobs of an unregistered feature
     * would be deleted.
     */
    readonly hold: (holder: Holder) => Effect.Effect<void>
    /** Removes those of the given blobs that are unused; returns how many. */
    readonly release: (tenant: TenantId, sha256s: ReadonlyArray<string>) => Effect.Effect<number, StorageUnreachable>
    /** Removes all unused blobs of a tenant; returns how many. */
    readonly sweep: (tenant: TenantId) => Effect.Effect<number, StorageUnreachable>
    /**
     * Removes all unused blobs of a tenant and returns them. With `dryRun` it only returns those that it would remove.
     */
    readonly run: (tenant: TenantId, dryRun: boolean) => Effect.Effect<ReadonlyArray<StoredBlob>, StorageUnreachable>
  }
>()("flow/blobs/BlobSweep") {
  static readonly layer = (grace: Duration.Input = "1 hour") =>
    Layer.effect(
      BlobSweep,
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const graceMillis = Duration.toMillis(Duration.fromInputUnsafe(grace))
        const holders = new Set<Holder>()

        const unheld = Effect.fnUntraced(function* (tenant: TenantId, sha256s: ReadonlyArray<string>) {
          // Without any holder every blob would seem to be unused.
          let free = holders.size === 0 ? [] : sha256s
          for (const holder of holders) {
            const held = new Set(yield* holder(tenant, free))
            free = free.filter((sha256) => !held.has(sha256))
          }
          return free
        })

        const release = Effect.fn("BlobSweep.release")(function* (tenant: TenantId, sha256s: ReadonlyArray<string>) {
          const writtenBefore = (yield* Clock.currentTimeMillis) - graceMillis
          const free = yield* unheld(tenant, sha256s)
          const removed = yield* Effect.forEach(free, (sha256) => blobs.remove(tenant, sha256, writtenBefore))
          return removed.filter((isRemoved) => isRemoved).length
        })

        const run = Effect.fn("BlobSweep.run")(function* (tenant: TenantId, dryRun: boolean) {
          const before = (yield* Clock.currentTimeMillis) - graceMillis
          return yield* blobs.list(tenant).pipe(
            Stream.filter((blob) => blob.storedAt < before),
            Stream.grouped(batch),
            Stream.mapEffect(
              Effect.fnUntraced(function* (some) {
                const free = new Set(
                  yield* unheld(
                    tenant,
                    some.map((blob) => blob.sha256)
                  )
                )
                const found = some.filter(({ sha256 }) => free.has(sha256))
                if (dryRun) return found
                return yield* Effect.filter(found, ({ sha256 }) => blobs.remove(tenant, sha256, before))
              })
            ),
            Stream.flattenIterable,
            Stream.take(maxShown),
            Stream.runCollect
          )
        })

        const sweep = Effect.fn("BlobSweep.sweep")(function* (tenant: TenantId) {
          const before = (yield* Clock.currentTimeMillis) - graceMillis
          return yield* blobs.list(tenant).pipe(
            Stream.filter((blob) => blob.storedAt < before),
            Stream.map((blob) => blob.sha256),
            Stream.grouped(batch),
            Stream.mapEffect((sha256s) => release(tenant, sha256s)),
            Stream.runFold(
              () => 0,
              (total, removed) => total + removed
            )
          )
        })

        return BlobSweep.of({
          hold: (holder) => Effect.sync(() => void holders.add(holder)),
          release,
          sweep,
          run
        })
      })
    )

  /** Sweeps all tenants periodically; the first sweep runs after one interval. */
  static readonly schedule = (every: Duration.Input = "15 minutes") =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const sweeper = yield* BlobSweep
        const tenants = yield* Tenants
        // What is wrong with the blobs of one tenant does not keep those of the others.
        const sweep = (tenant: TenantId) => survive(`The sweep of unused blobs of ${tenant}`, sweeper.sweep(tenant))
        const round = Effect.flatMap(tenants.names, Effect.forEach(sweep, { discard: true }))
        yield* inBackground("The sweep of unused blobs", round, every)
      })
    )
}
