import { Clock, Duration, Effect, Layer, Metric, Stream } from "effect"
import { Blobs } from "../../drivers/blobs/Blobs.ts"
import { inBackground } from "../shared/process/Background.ts"
import { Tenants } from "../shared/Tenant.ts"
import { BlobLedger, type BlobName, type CheckPlace } from "./BlobLedger.ts"

/** The pace of the check of all blobs. */
export interface CheckPace {
  /** Bytes that are read in a second; with 0 only what readers find to be damaged is checked. */
  readonly bytesPerSecond: number
  /** From the beginning of a round to that of the next. */
  readonly every: Duration.Input
  /** Pause between looks whether there is something to check. */
  readonly pause: Duration.Input
}

const damaged = Metric.gauge("flow_blobs_damaged", { description: "Blobs that are known to be damaged" })
const checked = Metric.counter("flow_blobs_checked_total", {
  description: "Checks of whole blobs by their result",
  incremental: true
})

/** Seconds that a gateway has the check for; a gateway that dies leaves it to another one after that. */
const turn = 120

/** Damaged blobs are looked at again after so many milliseconds: they may have been stored again or removed. */
const again = Duration.toMillis("10 minutes")

/** The order of the round: by tenant and hash. */
const isBehind = (one: string, other: string) => one > other

/**
 * Reads all blobs again and again, at a rate, and compares them with their hashes. One gateway does it at a time, and
 * another one goes on from the last place. What is damaged is noted in the ledger until it was repaired, stored again
 * or removed, and a blob that a read found to be damaged is checked at once.
 */
export const layer = ({ bytesPerSecond, every, pause }: CheckPace) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const blobs = yield* Blobs
      const ledger = yield* BlobLedger
      const tenants = yield* Tenants
      const gateway = crypto.randomUUID()
      const rate = bytesPerSecond > 0 ? bytesPerSecond : 4 * 1024 * 1024
      const everyMillis = Duration.toMillis(Duration.fromInputUnsafe(every))
      const known = new Map<string, number>()

      const check = Effect.fn("BlobCheck.check")(function* (blob: BlobName) {
        const { tenant, sha256 } = blob
        const result = yield* blobs.check(tenant, sha256, rate)
        yield* Metric.update(Metric.withAttributes(checked, { result }), 1)
        const key = `${tenant}/${sha256}`
        if (result === "damaged") {
          yield* ledger.noteDamaged(blob)
          if (!known.has(key)) {
            yield* Effect.logError(
              `The blob ${sha256} of ${tenant} is damaged: restore ${blobs.url(tenant, sha256)} from a backup, or store its content again`
            )
          }
          known.set(key, yield* Clock.currentTimeMillis)
          return
        }
        if (result === "repaired") yield* Effect.logWarning(`The damaged blob ${sha256} of ${tenant} was repaired`)
        known.delete(key)
        yield* ledger.forgetDamaged(blob)
      })

      /** What readers have met, and what is known to be damaged. */
      const look = Effect.gen(function* () {
        for (const { tenant, sha256 } of yield* blobs.suspects) {
          const names = (yield* tenants.names).filter((name) => name === tenant)
          yield* Effect.forEach(names, (name) => check({ tenant: name, sha256 }), { discard: true })
        }
        const now = yield* Clock.currentTimeMillis
        for (const blob of yield* ledger.damaged) {
          const since = known.get(`${blob.tenant}/${blob.sha256}`) ?? Number.NEGATIVE_INFINITY
          if (since + again <= now) yield* check(blob)
        }
        yield* Metric.update(damaged, (yield* ledger.damaged).length)
      })

      // A blob that cannot be read does not stop the round; a storage that is away does.
      const checkNext = (blob: BlobName) =>
        check(blob).pipe(
          Effect.catchTag("StorageUnreachable", (error) =>
            error.storage === "metadata"
              ? error
              : Effect.andThen(
                  blobs.health,
                  Effect.logWarning(`The blob ${blob.sha256} of ${blob.tenant} cannot be read`)
                )
          )
        )

      const walk = Effect.fnUntraced(function* (from: CheckPlace) {
        for (const tenant of [...(yield* tenants.names)].sort()) {
          if (isBehind(from.tenant, tenant)) continue
          const after = tenant === from.tenant ? from.sha256 : ""
          yield* blobs.list(tenant).pipe(
            Stream.filter(({ sha256 }) => isBehind(sha256, after)),
            Stream.runForEach(({ sha256 }) =>
              Effect.andThen(
                checkNext({ tenant, sha256 }),
                Effect.suspend(() => ledger.moveCheck(gateway, { ...from, tenant, sha256 }))
              )
            )
          )
        }
        yield* ledger.moveCheck(gateway, { ...from, tenant: "", sha256: "", roundEnded: true })
      })

      /** Ends when another gateway has the check. */
      const keep = Effect.repeat(Effect.delay(ledger.takeCheck(gateway, turn), `${turn / 4} seconds`), {
        while: (place) => place !== undefined
      })

      const round = Effect.gen(function* () {
        const place = yield* ledger.takeCheck(gateway, turn)
        const now = yield* Clock.currentTimeMillis
        if (place === undefined || (place.roundEnded && place.roundBeganAt + everyMillis > now)) return
        const from = place.roundEnded ? { tenant: "", sha256: "", roundBeganAt: now, roundEnded: false } : place
        yield* Effect.raceFirst(walk(from), keep)
      })

      yield* inBackground("The look at damaged blobs", Effect.ignore(look), pause)
      if (bytesPerSecond > 0)
        yield* inBackground("The check of all blobs", Effect.ignore(Effect.delay(round, pause)), pause)
    })
  )
