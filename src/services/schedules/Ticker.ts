import { Effect, Layer } from "effect"
import * as Singleton from "effect/cluster/Singleton"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { durationMillis } from "../../languages/DurationText.ts"
import { fileLook, scheduleTick } from "../../protocol/Liveness.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { ScheduleClock, type ScheduleTime } from "../runs/ScheduleClock.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { inBackground, survive } from "../shared/process/Background.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { Tenants } from "../shared/Tenant.ts"
import { countFirings, Firings } from "./Firings.ts"
import { ScheduleStore, type StoredRow } from "./ScheduleStore.ts"
import { definitionOf } from "./StoredDefinition.ts"
import { TenantFolders } from "./TenantFolders.ts"
import { delayOf, dueTimes, timesOf } from "./Times.ts"

const usualRest = 10_000

/**
 * Milliseconds by which the clocks of gateways may differ, as they are measured. A new schedule of a gateway whose clock is
 * ahead is not before its first time: it would fire at once.
 */
const clockPrecision = 1000

/** Folders that are looked at at once. */
const foldersAtOnce = 4

/**
 * Two checks that remember what they have seen: one of the times of all schedules, and one of their files, which may
 * take as long as the disks take.
 */
export const makeScheduleChecks = Effect.gen(function* () {
  const store = yield* ScheduleStore
  const firings = yield* Firings
  const folders = yield* TenantFolders
  const clock = yield* ScheduleClock
  const tenants = yield* Tenants
  const rules = yield* TenantRules

  /** Work on one schedule, whose failure keeps no other one from firing. */
  const each = (
    rows: ReadonlyArray<StoredRow>,
    work: (row: StoredRow) => Effect.Effect<unknown, unknown>,
    concurrency = 1
  ) =>
    Effect.forEach(
      rows,
      (row) =>
        survive(
          `The schedule ${row.tenant}/${row.name}`,
          Effect.flatMap(tenants.exists(row.tenant), (exists) => (exists ? work(row) : Effect.void))
        ),
      { discard: true, concurrency }
    )

  const fire = (now: number) =>
    Effect.fnUntraced(function* (row: StoredRow) {
      const { trigger, catchUp = "last", jitter } = definitionOf(row.definition)
      const times = timesOf(trigger, row.anchor)
      if (times === undefined || row.nextAt === null) return
      const due = dueTimes(times, row.nextAt, now, catchUp)
      const kind = trigger.cron === undefined ? "every" : "cron"
      yield* store.fire(row, due, kind, (at) => delayOf(jitter, `${row.tenant}/${row.name}`, at))
      if (due.missed !== undefined) yield* countFirings(row.tenant, "missed")
    })

  /**
   * Moves the next time of a schedule forward to the clock: after a clock was turned back, no schedule waits for the
   * time that it showed before.
   */
  const align = (now: number) =>
    Effect.fnUntraced(function* (row: StoredRow) {
      const times = timesOf(definitionOf(row.definition).trigger, row.anchor)
      if (times === undefined || row.nextAt === null || row.nextAt <= times.next(now + clockPrecision)) return
      yield* store.fire(row, { fire: [], missed: undefined, next: times.next(now) }, "cron", () => 0)
    })

  /** The files of a schedule at the last check, if none of them was still changing. */
  const settled = new Map<string, string>()

  const watch = Effect.fnUntraced(function* (row: StoredRow) {
    const { file } = definitionOf(row.definition).trigger
    if (file === undefined) return
    const { files, fault } = yield* folders.look(row.tenant, file)
    if ((fault ?? null) !== row.fault) yield* store.setFault(row, fault)
    if (files === undefined) return
    const key = `${row.tenant}/${row.name}`
    const seen = `${row.revision} ${yield* hexDigest(JSON.stringify(files))}`
    if (settled.get(key) === seen) return
    const rests = file.restsFor === undefined ? usualRest : durationMillis(file.restsFor)
    const { resting } = yield* store.found(row, files, rests)
    if (resting === 0) settled.set(key, seen)
    else settled.delete(key)
  })

  let aligned: ScheduleTime | undefined

  const look = Effect.gen(function* () {
    const now = yield* clock.now
    if (aligned?.jumps !== now.jumps) {
      yield* each(yield* store.timed, align(now.at))
      aligned = now
    }
    yield* each(yield* store.due(now.at, rules.suspended()), fire(now.at))
    return yield* firings.start
  })
  // A whole look, so that times that come meanwhile, and what they start for other tenants, wait for one look at most.
  const times = Effect.repeat(look, { while: (hasMore) => hasMore })

  const files = Effect.gen(function* () {
    const watching = yield* store.watching(rules.suspended())
    const keys = new Set(watching.map((row) => `${row.tenant}/${row.name}`))
    for (const key of settled.keys()) if (!keys.has(key)) settled.delete(key)
    yield* each(watching, watch, foldersAtOnce)
  })

  return { times, files }
})

/** Deletes old firings, as many as the rule of executions says. */
const expiry = Effect.gen(function* () {
  const store = yield* ScheduleStore
  const tenants = yield* Tenants
  const { retention } = yield* Settings
  if (retention.mode !== "on") return
  const { age, number } = retention.executions
  const rule = { ...(age === undefined ? {} : { age }), ...(number === undefined ? {} : { number }) }
  for (const tenant of yield* tenants.names) {
    while ((yield* store.expire(tenant, rule)) > 0) yield* Effect.yieldNow
  }
})

/**
 * Fires schedules, in one gateway of the cluster. Another gateway takes over when that one is gone. For a moment both
 * may fire: the keys of firings make each firing unique.
 */
export const layer = Layer.unwrap(
  Effect.map(makeScheduleChecks, ({ times, files }) => {
    const again = (look: Effect.Effect<unknown, StorageUnreachable>, pause: number) =>
      Effect.forever(
        Effect.andThen(
          survive(
            "The schedules",
            // While the database is away nothing fires; it is made up for afterwards, as each schedule says.
            Effect.catchTag(look, "StorageUnreachable", () => Effect.void)
          ),
          Effect.sleep(pause)
        )
      )
    // In parallel, so that a disk that is slow or hangs delays no firing.
    const both = Effect.all([again(times, scheduleTick), again(files, fileLook)], {
      concurrency: "unbounded",
      discard: true
    })
    return Singleton.make("Schedules", both)
  })
).pipe(Layer.merge(Layer.effectDiscard(inBackground("Retention of firings", expiry, "10 minutes"))))
