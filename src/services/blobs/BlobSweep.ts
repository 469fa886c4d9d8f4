import { Clock, Context, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { Blobs, type StoredBlob } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Tenants } from "../shared/Tenant.ts"

/** A kind of row that refers to blobs: gives those of `sha256s` that it refers to. */
export type Holder = (
  tenant: string,
  sha256s: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>

/** Blobs that one look shows. */
const maxShown = 10_000

/** Blobs that are asked about at once. */
const batch = 500

/**
 * Removes blobs that nothing refers to. Bytes are stored before the row that refers to them, and nobody can say which
 * rows are about to come, so a blob stays for a `grace` time after its content was last written (also when that found
 * it stored already): whoever writes a blob has that long to commit its row. A row that takes a blob over from another
 * row, without writing it, must hold a lock on that row until it is committed.
 */
export class BlobSweep extends Context.Service<
  BlobSweep,
  {
    /** Every feature whose rows refer to blobs says so when it is built; a missing one loses its bytes. */
    readonly hold: (holder: Holder) => Effect.Effect<void>
    /** Removes those of the blobs that may go; tells how many. */
    readonly release: (tenant: string, sha256s: ReadonlyArray<string>) => Effect.Effect<number, StorageUnreachable>
    /** Looks at all of a tenant's blobs. */
    readonly sweep: (tenant: string) => Effect.Effect<number, StorageUnreachable>
    /** The same for one who wants to see it: the blobs that went or, with `dryRun`, that would go now. */
    readonly run: (tenant: string, dryRun: boolean) => Effect.Effect<ReadonlyArray<StoredBlob>, StorageUnreachable>
  }
>()("flow/blobs/BlobSweep") {
  static readonly layer = (grace: Duration.Input = "1 hour") =>
    Layer.effect(
      BlobSweep,
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const graceMillis = Duration.toMillis(Duration.fromInputUnsafe(grace))
        const holders = new Set<Holder>()

        const unheld = Effect.fnUntraced(function* (tenant: string, sha256s: ReadonlyArray<string>) {
          // Without anybody to ask, everything would seem to be free.
          let free = holders.size === 0 ? [] : sha256s
          for (const holder of holders) {
            const held = new Set(yield* holder(tenant, free))
            free = free.filter((sha256) => !held.has(sha256))
          }
          return free
        })

        const release = Effect.fn("BlobSweep.release")(function* (tenant: string, sha256s: ReadonlyArray<string>) {
          const writtenBefore = (yield* Clock.currentTimeMillis) - graceMillis
          const free = yield* unheld(tenant, sha256s)
          const removed = yield* Effect.forEach(free, (sha256) => blobs.remove(tenant, sha256, writtenBefore))
          return removed.filter((isRemoved) => isRemoved).length
        })

        const run = Effect.fn("BlobSweep.run")(function* (tenant: string, dryRun: boolean) {
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

        const sweep = Effect.fn("BlobSweep.sweep")(function* (tenant: string) {
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

  /** Sweeps every tenant now and then, first after one interval. */
  static readonly schedule = (every: Duration.Input = "15 minutes") =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const sweeper = yield* BlobSweep
        const tenants = yield* Tenants
        const round = Effect.flatMap(tenants.names, (names) =>
          Effect.forEach(names, (tenant) => sweeper.sweep(tenant), { discard: true })
        ).pipe(Effect.catch(() => Effect.logWarning("Blobs cannot be swept while a storage is away")))
        yield* Effect.forkScoped(Effect.delay(Effect.repeat(round, Schedule.spaced(every)), every))
      })
    )
}
