import { Clock, Duration, Effect, Layer, Metric } from "effect"
import { Search } from "../../drivers/search/Search.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { Audit, ownEntry } from "../audit/Audit.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { retentionAction } from "../audit/Chain.ts"
import { BlobSweep } from "../blobs/BlobSweep.ts"
import { inBackground, survive } from "../shared/process/Background.ts"
import { keepsAll, type Rule } from "../shared/settings/RetentionRules.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { type TenantId, Tenants } from "../shared/Tenant.ts"
import { RetentionRounds } from "./RetentionRounds.ts"
import { type Page, type RemovedRows, RetentionStore, versioned } from "./RetentionStore.ts"

/** Kinds of history, as the metrics and the log name them. */
type Kind = "executions" | "archives" | "flowlines" | "versions" | "indices" | "audit"

const removedTotal = Metric.counter("flow_retention_removed_total", {
  description: "Rows of old history that were deleted",
  incremental: true
})
const removedBytes = Metric.counter("flow_retention_removed_bytes_total", {
  description: "Their size in bytes",
  incremental: true
})
const due = Metric.gauge("flow_retention_due", { description: "Rows that a dry run would delete" })
const seconds = Metric.gauge("flow_retention_round_seconds", { description: "Duration of the last round" })

const none: RemovedRows = { number: 0, bytes: 0, blobs: [] }
const plus = (a: RemovedRows, b: RemovedRows): RemovedRows => ({
  number: a.number + b.number,
  bytes: a.bytes + b.bytes,
  blobs: []
})

/** The beginning of the next month after a time, in epoch milliseconds. */
const afterMonthOf = (time: string): number => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Deletes a step's rows until nothing is left. Between two steps the database is left to others for as long as a step took. */
const inSteps = <E>(step: Effect.Effect<RemovedRows, E>): Effect.Effect<RemovedRows, E> =>
  Effect.gen(function* () {
    let all = none
    for (;;) {
      const before = yield* monotonicNow
      const removed = yield* step
      if (removed.number === 0) return all
      all = plus(all, removed)
      yield* Effect.sleep((yield* monotonicNow) - before)
    }
  })

/** Deletes what the operator's rules no longer keep, tenant by tenant. */
const make = Effect.gen(function* () {
  const store = yield* RetentionStore
  const search = yield* Search
  const sweep = yield* BlobSweep
  const audit = yield* Audit
  const chains = yield* AuditStore
  const tenants = yield* Tenants
  const { retention } = yield* Settings
  const dryRun = retention.mode === "dry-run"
  /** Up to when unsaved flowlines were looked at, by tenant. */
  const lookedAt = new Map<TenantId, number>()

  const freeing = <A extends RemovedRows, E>(tenant: TenantId, step: Effect.Effect<A, E>) =>
    Effect.tap(step, ({ blobs }) =>
      blobs.length === 0 || dryRun ? Effect.void : Effect.ignore(sweep.release(tenant, blobs))
    )

  const history = (tenant: TenantId, kind: "executions" | "archives") => {
    const rule = retention[kind]
    if (keepsAll(rule)) return Effect.succeed(none)
    return dryRun ? store.due(tenant, kind, rule) : inSteps(freeing(tenant, store.history(tenant, kind, rule)))
  }

  const flowlines = Effect.fnUntraced(function* (tenant: TenantId) {
    if (dryRun) return none
    const now = yield* Clock.currentTimeMillis
    const removed = yield* inSteps(store.unused(tenant, lookedAt.get(tenant) ?? 0))
    // Those that have executions go with the last of them.
    lookedAt.set(tenant, now - 2 * 3_600_000)
    return removed
  })

  const versions = Effect.fnUntraced(function* (tenant: TenantId) {
    let all = none
    if (keepsAll(retention.versions)) return all
    for (const kind of versioned) {
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page: Page = yield* freeing(tenant, store.superseded(tenant, kind, retention.versions, after, dryRun))
        all = plus(all, page)
        after = page.next
      }
    }
    return all
  })

  /** Documents are deleted on connections of their own, so the row comes first. */
  const expire = (tenant: TenantId, index: string, before: number) =>
    Effect.andThen(
      audit.begin({ tenant, action: "retention.indices", target: `${index}?before=${new Date(before).toISOString()}` }),
      search.expire(tenant, index, before)
    )

  /** Documents older than the rule allows. Counts the indices. */
  const aged = Effect.fnUntraced(function* (tenant: TenantId, before: number) {
    const old = (yield* search.indices(tenant)).filter(({ from }) => from !== null && Date.parse(from) < before)
    if (!dryRun) yield* Effect.forEach(old, ({ name }) => expire(tenant, name, before), { discard: true })
    return { ...none, number: old.length }
  })

  /** While there are too many documents, the oldest month of an index, but not the newest month of all. */
  const oldest = Effect.fnUntraced(function* (tenant: TenantId, rule: Rule) {
    for (let number = 0; ; number++) {
      const indices = yield* search.indices(tenant)
      const bytes = indices.reduce((sum, index) => sum + index.bytes, 0)
      const documents = indices.reduce((sum, index) => sum + index.documents, 0)
      const dated = indices.filter(({ from }) => from !== null)
      const isMet =
        bytes <= (rule.bytes ?? Number.POSITIVE_INFINITY) && documents <= (rule.number ?? Number.POSITIVE_INFINITY)
      const first = dated.toSorted((a, b) => (a.from ?? "").localeCompare(b.from ?? ""))[0]
      const last =
        dated
          .map(({ to }) => to ?? "")
          .toSorted()
          .at(-1) ?? ""
      const until = afterMonthOf(first?.from ?? "")
      if (isMet || first === undefined || until > Date.parse(last)) return { ...none, number }
      if (dryRun) return { ...none, number: 1 }
      yield* expire(tenant, first.name, until)
      if ((yield* search.indices(tenant)).some(({ name, from }) => name === first.name && from === first.from)) {
        return { ...none, number }
      }
    }
  })

  const documents = Effect.fnUntraced(function* (tenant: TenantId) {
    const { age, ...size } = retention.documents
    const now = yield* Clock.currentTimeMillis
    const first = age === undefined ? none : yield* aged(tenant, now - age)
    return keepsAll(size) ? first : plus(first, yield* oldest(tenant, size))
  })

  const parts = (
    tenant: TenantId
  ): ReadonlyArray<[Kind, Effect.Effect<RemovedRows, NotFound | StorageUnreachable>]> => [
    ["executions", history(tenant, "executions")],
    ["archives", history(tenant, "archives")],
    ["flowlines", flowlines(tenant)],
    ["versions", versions(tenant)],
    ["indices", documents(tenant)]
  ]

  /** Old rows of the audit, also those of tenants that are gone and those that belong to none. */
  const auditRows = Effect.gen(function* () {
    const { age } = retention.audit
    if (age === undefined || dryRun) return
    for (const { chain } of yield* chains.heads) {
      // The target and the digest are the last removed row: the chain goes on from it.
      const step = chains.expire(chain, age, (last, count) =>
        ownEntry({ action: retentionAction, target: String(last.seq), before: last.hash, count })
      )
      const removed = inSteps(Effect.map(step, (number) => ({ ...none, number })))
      yield* survive(
        `Retention of the audit of ${chain ?? "no tenant"}`,
        Effect.flatMap(removed, (all) => tell(chain ?? "", "audit", all))
      )
    }
  })

  const tell = Effect.fnUntraced(function* (tenant: string, kind: Kind, { number, bytes }: RemovedRows) {
    const of = { tenant, kind }
    if (dryRun) {
      yield* Metric.update(Metric.withAttributes(due, of), number)
      if (number > 0) yield* Effect.logInfo(`Retention would delete ${number} ${kind} of ${tenant} with ${bytes} bytes`)
    } else if (number > 0) {
      yield* Metric.update(Metric.withAttributes(removedTotal, of), number)
      yield* Metric.update(Metric.withAttributes(removedBytes, of), bytes)
      yield* Effect.logInfo(`Retention deleted ${number} ${kind} of ${tenant} with ${bytes} bytes`)
    }
  })

  return Effect.gen(function* () {
    if (retention.mode === "off") return
    const before = yield* monotonicNow
    for (const tenant of yield* tenants.names) {
      for (const [kind, part] of parts(tenant)) {
        yield* survive(
          `Retention of ${kind} of ${tenant}`,
          Effect.flatMap(part, (removed) => tell(tenant, kind, removed))
        )
      }
    }
    yield* survive("Retention of the audit", auditRows)
    yield* Metric.update(seconds, ((yield* monotonicNow) - before) / 1000)
  })
})

/** Applies the rules to all tenants periodically. The first round begins after one interval. */
export const schedule = (every: Duration.Input = "10 minutes") =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const round = yield* make
      const rounds = yield* RetentionRounds
      const { mode } = (yield* Settings).retention
      const expectNext =
        mode === "off"
          ? Effect.void
          : Effect.map(Clock.currentTimeMillis, (now) => rounds.expect(now + Duration.toMillis(every)))
      yield* expectNext
      yield* inBackground("Retention", Effect.ensuring(round, expectNext), every)
    })
  )
