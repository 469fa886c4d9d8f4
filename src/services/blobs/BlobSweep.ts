import { Clock, Context, Duration, Effect, Layer, Metric, Stream } from "effect"
import { Blobs, type StoredBlob } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Audit } from "../audit/Audit.ts"
import { inBackground, survive } from "../shared/process/Background.ts"
import { type TenantId, Tenants } from "../shared/Tenant.ts"
import { BlobLedger, type UnusedBlob } from "./BlobLedger.ts"

/** Returns which of the given blobs the rows of one feature refer to. */
type Holder = (
  tenant: TenantId,
  sha256s: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>

/** Maximum number of blobs in the answer to one request. */
const maxShown = 10_000

/** Number of blobs that the holders are asked about at once. */
const batch = 500

/** From so many blobs on, a round that would remove most of a tenant's removes none. */
const suspicious = 10

const withheld = Metric.gauge("flow_blobs_sweep_withheld", {
  description: "Unused blobs that the sweep keeps because they are most blobs of the tenant"
})

/**
 * Removes blobs that nothing refers to.
 *
 * Bytes are stored before the row that refers to them, so a new blob without a row may still be in use. Therefore a
 * blob is kept for a `grace` period after it was last written (a write that finds the blob already stored counts too):
 * a writer has that long to commit its row. A row that takes over a blob from another row without writing it must lock
 * that row until it commits.
 *
 * An unused blob then waits for `wait`, and is removed if it is still unused after that: rows that come back from a
 * backup find their bytes again.
 */
export class BlobSweep extends Context.Service<
  BlobSweep,
  {
    /**
     * Registers a feature whose rows refer to blobs, when the feature is built. The blobs of an unregistered feature
     * would be deleted.
     */
    readonly hold: (holder: Holder) => Effect.Effect<void>
    /**
     * Notes blobs whose rows are being deleted, in the transaction that deletes them. If nobody frees them after it, for
     * instance because the gateway was killed, the periodic sweep knows that they were not lost.
     */
    readonly noteFreed: (tenant: TenantId, sha256s: ReadonlyArray<string>) => Effect.Effect<void, StorageUnreachable>
    /** Frees those of the given blobs that are unused, after their last row was deleted. */
    readonly release: (tenant: TenantId, sha256s: ReadonlyArray<string>) => Effect.Effect<number, StorageUnreachable>
    /** Frees all unused blobs of a tenant, after their rows were deleted; returns how many were removed. */
    readonly sweep: (tenant: TenantId) => Effect.Effect<number, StorageUnreachable>
    /**
     * The periodic sweep. It removes no blob that no deletion has freed when these are most of the tenant's: then more
     * likely the rows are missing than superfluous.
     */
    readonly tidy: (tenant: TenantId) => Effect.Effect<number, StorageUnreachable>
    /**
     * Removes all unused blobs of a tenant at once and returns them. With `dryRun` it only returns those that it would
     * remove.
     */
    readonly run: (tenant: TenantId, dryRun: boolean) => Effect.Effect<ReadonlyArray<StoredBlob>, StorageUnreachable>
  }
>()("flow/blobs/BlobSweep") {
  static readonly layer = (grace: Duration.Input = "1 hour", wait: Duration.Input = 0) =>
    Layer.effect(
      BlobSweep,
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const ledger = yield* BlobLedger
        const audit = yield* Audit
        const graceMillis = Duration.toMillis(Duration.fromInputUnsafe(grace))
        const waitMillis = Duration.toMillis(Duration.fromInputUnsafe(wait))
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

        const note = Effect.fnUntraced(function* (tenant: TenantId, sha256s: ReadonlyArray<string>) {
          const since = yield* Clock.currentTimeMillis
          yield* ledger.noteUnused(
            tenant,
            sha256s.map((sha256) => ({ sha256, since, deleted: true }))
          )
        })

        const release = Effect.fn("BlobSweep.release")(function* (tenant: TenantId, sha256s: ReadonlyArray<string>) {
          const now = yield* Clock.currentTimeMillis
          const free = yield* unheld(tenant, sha256s)
          if (waitMillis > 0) {
            yield* note(tenant, free)
            return 0
          }
          return (yield* Effect.filter(free, (sha256) => blobs.remove(tenant, sha256, now - graceMillis))).length
        })

        const run = Effect.fn("BlobSweep.run")(function* (tenant: TenantId, dryRun: boolean) {
          const before = (yield* Clock.currentTimeMillis) - graceMillis
          return yield* blobs.list(tenant).pipe(
            Stream.filter((blob) => blob.storedAt < before),
            Stream.grouped(batch),
            Stream.mapEffect(
              Effect.fnUntraced(function* (some) {
                const hashes = some.map((blob) => blob.sha256)
                const free = new Set(yield* unheld(tenant, hashes))
                const found = some.filter(({ sha256 }) => free.has(sha256))
                if (dryRun) return found
                const removed = yield* Effect.filter(found, ({ sha256 }) => blobs.remove(tenant, sha256, before))
                const gone = removed.map(({ sha256 }) => sha256)
                yield* ledger.forgetUnused(tenant, gone)
                return removed
              })
            ),
            Stream.flattenIterable,
            Stream.take(maxShown),
            Stream.runCollect
          )
        })

        /** What a round found: the number of all blobs, and which may be removed now. */
        const examine = Effect.fnUntraced(function* (tenant: TenantId, now: number, deleted: boolean) {
          const before = now - graceMillis
          const noted = new Map((yield* ledger.unused(tenant)).map((one) => [one.sha256, one]))
          const gone = new Set(noted.keys())
          const due: Array<UnusedBlob> = []
          let total = 0
          const look = Effect.fnUntraced(function* (some: ReadonlyArray<StoredBlob>) {
            total += some.length
            for (const { sha256 } of some) gone.delete(sha256)
            // What was written again begins anew, whether it is held or not.
            const isNoted = ({ sha256, storedAt }: StoredBlob) => (noted.get(sha256)?.since ?? 0) > storedAt
            // Without a deletion, a young blob may belong to a row that is about to be written.
            const asked = deleted ? some : some.filter(({ storedAt }) => storedAt < before)
            const hashes = asked.map(({ sha256 }) => sha256)
            const free = new Set(yield* unheld(tenant, hashes))
            const found = asked.filter(({ sha256 }) => free.has(sha256))
            const fresh = found.filter((blob) => !isNoted(blob)).map(({ sha256 }) => ({ sha256, since: now, deleted }))
            yield* ledger.noteUnused(tenant, waitMillis > 0 ? fresh : [])
            for (const blob of found) {
              const known = isNoted(blob) ? noted.get(blob.sha256) : undefined
              const unused = known ?? { sha256: blob.sha256, since: now, deleted }
              if (unused.since + waitMillis <= now) due.push(unused)
            }
            const used = some.filter((blob) => noted.has(blob.sha256) && !free.has(blob.sha256))
            yield* ledger.forgetUnused(
              tenant,
              used.filter((blob) => blob.storedAt < before || !isNoted(blob)).map(({ sha256 }) => sha256)
            )
          })
          yield* Stream.runForEach(Stream.grouped(blobs.list(tenant), batch), look)
          yield* ledger.forgetUnused(tenant, [...gone])
          return { total, due }
        })

        const round = Effect.fnUntraced(function* (tenant: TenantId, kind: "deleted" | "found") {
          const now = yield* Clock.currentTimeMillis
          const { total, due } = yield* examine(tenant, now, kind === "deleted")
          const strange = kind === "deleted" ? [] : due.filter((unused) => !unused.deleted)
          const isMost = strange.length >= suspicious && strange.length > total / 2
          yield* Metric.update(Metric.withAttributes(withheld, { tenant }), isMost ? strange.length : 0)
          if (isMost) {
            yield* Effect.logWarning(
              `The sweep keeps ${strange.length} of the ${total} blobs of ${tenant}, although no row refers to them: ` +
                `removing most blobs may be a mistake. If their rows are not missing, POST /v1/${tenant}/resources/sweep removes them`
            )
          }
          const removable = isMost ? due.filter((unused) => unused.deleted) : due
          if (removable.length > 0) {
            yield* audit.begin({ tenant, action: "blobs.sweep", target: "", count: removable.length })
          }
          const removed = yield* Effect.filter(removable, ({ sha256 }) =>
            blobs.remove(tenant, sha256, now - graceMillis)
          )
          const gone = removed.map(({ sha256 }) => sha256)
          yield* ledger.forgetUnused(tenant, gone)
          return removed.length
        })

        return BlobSweep.of({
          hold: (holder) => Effect.sync(() => void holders.add(holder)),
          noteFreed: note,
          release,
          sweep: Effect.fn("BlobSweep.sweep")((tenant) => round(tenant, "deleted")),
          tidy: Effect.fn("BlobSweep.tidy")((tenant) => round(tenant, "found")),
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
        const tidy = (tenant: TenantId) => survive(`The sweep of unused blobs of ${tenant}`, sweeper.tidy(tenant))
        const round = Effect.flatMap(tenants.names, Effect.forEach(tidy, { discard: true }))
        yield* inBackground("The sweep of unused blobs", round, every)
      })
    )
}
