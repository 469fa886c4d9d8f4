import { Effect, Layer, Schema } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { BlobLedger } from "../../services/blobs/BlobLedger.ts"

/** The storage of the blobs and the database do not belong together. `message` is for the operator. */
export class BlobsRefused extends Schema.TaggedError<BlobsRefused>()("BlobsRefused", {
  variable: Schema.String,
  message: Schema.String
}) {}

const refuse = (message: string, id: string) =>
  Effect.fail(
    new BlobsRefused({
      variable: "FLOW_BLOBS",
      message:
        `${message}. Use the database and the blobs that belong together. Only if these are to belong together from ` +
        `now on, start once with FLOW_BLOBS_ADOPT=${id}`
    })
  )

/** Whether a text has the form of the ids that gateways generate. */
const isId = (owner: string): boolean => /^[\w-]{1,64}$/.test(owner)

const damagedId = new BlobsRefused({
  variable: "FLOW_BLOBS",
  message:
    "the storage's `.installation` holds no id of an installation. Put it back from a backup, or remove it: it is made " +
    "anew where the database refers to these blobs"
})

/** Milliseconds for which removals rely on the last comparison of the ids. */
const trust = 60_000

/**
 * Blobs of this installation: the storage and the database hold the same id, and a gateway that finds different ones
 * does not start, because its sweep would remove what its database does not know. A storage without an id gets that of
 * the database if it holds blobs that the database refers to, or if both are without any blob. `adopt` is the id that
 * an earlier refusal has named.
 *
 * While the storage is unreachable at the start, nothing is read or written until the ids were compared. Removals
 * compare them again, because another disk may be mounted meanwhile.
 */
export const layer = (adopt: string | undefined) =>
  Layer.effect(
    Blobs,
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const ledger = yield* BlobLedger

      const fits = Effect.gen(function* () {
        const sample = yield* ledger.sample
        for (const { tenant, sha256 } of sample) {
          if ((yield* blobs.size(tenant, sha256)) !== undefined) return "yes"
        }
        if (sample.length > 0) return "they are missing"
        return (yield* blobs.isEmpty) ? "yes" : "they are unknown"
      })

      const compare = Effect.gen(function* () {
        const ours = yield* ledger.installation
        const owner = yield* blobs.owner
        if (owner === ours) return
        if (owner !== undefined && !isId(owner)) return yield* damagedId
        if (owner !== undefined && owner !== adopt) {
          return yield* refuse(`the blobs belong to installation ${owner}, and the database to ${ours}`, owner)
        }
        const fit = owner === undefined && adopt !== ours ? yield* fits : "yes"
        if (fit === "they are missing") {
          return yield* refuse("the blobs that the database refers to are not in this storage", ours)
        }
        if (fit === "they are unknown") {
          return yield* refuse("the storage holds blobs, and the database refers to none", ours)
        }
        yield* blobs.own(ours)
        // Another gateway with another database may have done the same.
        const now = yield* blobs.owner
        if (now !== ours)
          return yield* refuse(`the blobs belong to installation ${now}, and the database to ${ours}`, `${now}`)
        if (owner !== undefined) yield* Effect.logWarning(`The blobs of installation ${owner} now belong to ${ours}`)
      })

      let comparedAt = Number.NEGATIVE_INFINITY
      const compared = Effect.andThen(
        compare,
        Effect.sync(() => {
          comparedAt = performance.now()
        })
      )
      let loggedAt = Number.NEGATIVE_INFINITY
      const report = (message: string) =>
        Effect.suspend(() => {
          if (performance.now() - loggedAt < trust) return Effect.void
          loggedAt = performance.now()
          return Effect.logError(`FLOW_BLOBS: ${message}`)
        })
      const known = Effect.catchTag(compared, "BlobsRefused", ({ message }) =>
        Effect.andThen(report(message), new StorageUnreachable({ storage: "data" }))
      )
      const once = Effect.suspend(() => (comparedAt > 0 ? Effect.void : known))
      const lately = Effect.suspend(() => (performance.now() - comparedAt < trust ? Effect.void : known))

      yield* Effect.catchTag(compared, "StorageUnreachable", () =>
        Effect.logWarning(
          "The blobs cannot be reached: whether they belong to this database is checked before their use"
        )
      )
      return Blobs.of({
        ...blobs,
        write: (tenant, source, onSourceError) => Effect.andThen(once, blobs.write(tenant, source, onSourceError)),
        size: (tenant, sha256) => Effect.andThen(once, blobs.size(tenant, sha256)),
        read: (tenant, sha256, span) => Effect.andThen(once, blobs.read(tenant, sha256, span)),
        remove: (tenant, sha256, writtenBefore) => Effect.andThen(lately, blobs.remove(tenant, sha256, writtenBefore)),
        health: Effect.andThen(once, blobs.health)
      })
    })
  )
