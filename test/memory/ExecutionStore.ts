import { Clock, Effect, Layer, Stream } from "effect"
import type { Outcome } from "../../src/nodes/flowline/Outcome.ts"
import { ExecutionId, type ExecutionState, hasEnded } from "../../src/services/executions/Execution.ts"
import {
  type ExecutionAttempt,
  type ExecutionFilter,
  type ExecutionKey,
  ExecutionStore,
  isByTime,
  NoRoom
} from "../../src/services/executions/ExecutionStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"
import { AddArchive } from "./ArchiveStore.ts"
import type { Entry, Event } from "./ExecutionEntry.ts"
import { linePageOf, listed } from "./Lists.ts"

const iso = (millis: number): string => new Date(millis).toISOString()
const isoOrNull = (millis: number | undefined) => (millis === undefined ? null : iso(millis))

const summaryOf = (entry: Entry, now: number) => {
  const last = entry.events.at(-1)
  return {
    id: entry.id,
    ...(entry.jobId === undefined ? {} : { jobId: entry.jobId }),
    timestamp: iso(last?.at ?? entry.createdAt),
    duration: entry.startedAt === undefined ? 0 : Math.max(0, (entry.endedAt ?? now) - entry.startedAt),
    tenant: entry.tenant,
    ...(last === undefined ? {} : { event: last.event }),
    flowlineId: entry.flowlineId,
    state: entry.state,
    createdAt: iso(entry.createdAt),
    ...outcomeOf(entry)
  }
}

const outcomeOf = ({ done, state }: Entry): Partial<Outcome> => {
  if (done === undefined) return {}
  const { outcome, counts, reasons } = done
  return state === "SUCCEEDED" ? { outcome, counts, ...(reasons.length === 0 ? {} : { reasons }) } : { counts }
}

const parametersOf = ({ kept }: Entry) =>
  kept === undefined || Buffer.byteLength(JSON.stringify(kept.parameters)) > 2048 ? {} : { parameters: kept.parameters }

const isWanted = (
  { flowlineId, state, outcome, from = 0, to = Number.POSITIVE_INFINITY }: ExecutionFilter,
  entry: Entry
): boolean =>
  (flowlineId === undefined || entry.flowlineId === flowlineId) &&
  (state === undefined || entry.state === state) &&
  (outcome === undefined || outcomeOf(entry).outcome === outcome) &&
  entry.createdAt >= from &&
  entry.createdAt < to

const keyText = (filter: ExecutionFilter, entry: Entry): string =>
  isByTime(filter) ? `${entry.createdAt}-${entry.ordinal}` : String(entry.ordinal)

const eventOf = (tenant: TenantId, { seq, event, at, detail, outcome }: Event) => ({
  timestamp: iso(at),
  tenant,
  event,
  seq,
  ...(detail === undefined ? {} : { detail }),
  ...(outcome === undefined ? {} : { outcome })
})

/**
 * In-memory executions for tests, with the same behaviour as in PostgreSQL. There is one gateway, so none is adopted.
 */
export const layer = Layer.effect(
  ExecutionStore,
  Effect.gen(function* () {
    const addArchive = yield* AddArchive
    const entries = new Map<string, Entry>()
    let ordinal = 0
    const keyOf = ({ tenant, id }: ExecutionKey) => `${tenant}/${id}`
    const isOpen = (entry: Entry) => !hasEnded(entry.state)

    /** Changes the attempt's execution if it is the current one and `allowed`; returns whether it was. */
    const write = (
      attempt: ExecutionAttempt,
      allowed: (entry: Entry) => boolean,
      change: (entry: Entry, now: number) => void
    ) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const entry = entries.get(keyOf(attempt))
        if (entry?.epoch !== attempt.epoch || !allowed(entry)) return false
        change(entry, now)
        return true
      })

    const end = (entry: Entry, now: number, state: ExecutionState, event: string, error: string | undefined) => {
      entry.state = state
      entry.endedAt = Math.max(now, entry.startedAt ?? 0)
      if (error !== undefined) entry.error = error
      const { outcome, reasons = [] } = state === "SUCCEEDED" ? (entry.done ?? {}) : {}
      const detail = error ?? (reasons.length === 0 ? undefined : reasons.join("; "))
      entry.events.push({
        ...{ seq: 2, event, at: entry.endedAt },
        ...(detail === undefined ? {} : { detail }),
        ...(outcome === undefined ? {} : { outcome })
      })
    }

    const linesAfter = (key: ExecutionKey, after: number) =>
      (entries.get(keyOf(key))?.lines ?? [])
        .filter((line) => line.seq > after)
        .map(({ seq, at, component, text }) => ({
          seq,
          text,
          json: JSON.stringify({ seq, timestamp: iso(at), component, text })
        }))

    return ExecutionStore.of({
      pending: (tenant, most) =>
        Effect.sync(() => {
          const waiting = [...entries.values()].filter((entry) => entry.tenant === tenant && entry.state === "PENDING")
          return Math.min(most, waiting.length)
        }),
      pendingOfAll: Effect.sync(() => {
        const counts = new Map<TenantId, number>()
        for (const { tenant, state } of entries.values())
          if (state === "PENDING") counts.set(tenant, (counts.get(tenant) ?? 0) + 1)
        return counts
      }),
      create: (execution, owner, now, most = Number.POSITIVE_INFINITY) =>
        Effect.suspend(() => {
          const waiting = [...entries.values()].filter(
            ({ tenant, state }) => tenant === execution.tenant && state === "PENDING"
          )
          if (waiting.length >= most) return Effect.fail(new NoRoom())
          let at = now
          while (entries.has(`${execution.tenant}/${execution.flowlineId}-${at}`)) at++
          const id = ExecutionId(`${execution.flowlineId}-${at}`)
          entries.set(`${execution.tenant}/${id}`, {
            ...execution,
            id,
            ordinal: ++ordinal,
            createdAt: now,
            state: "PENDING",
            owner,
            epoch: 0,
            attempts: 0,
            cancelled: false,
            truncated: false,
            nodes: [],
            events: [],
            lines: []
          })
          return Effect.succeed({ tenant: execution.tenant, id })
        }),
      claim: (key, owner) =>
        Effect.sync(() => {
          const entry = entries.get(keyOf(key))
          if (entry === undefined || !isOpen(entry) || entry.cancelled) return undefined
          entry.epoch++
          entry.owner = owner
          entry.state = "PENDING"
          const { epoch, attempts, flowlineId, runtime, dag, kept, lines, trigger = null, body = null } = entry
          const last = lines.at(-1)?.seq ?? 0
          return { ...key, epoch, attempts, flowlineId, runtime, dag, kept, trigger, body, lines: last }
        }),
      started: (attempt, jobId, event) =>
        write(attempt, isOpen, (entry, now) => {
          if (entry.state !== "RUNNING") entry.attempts++
          entry.state = "RUNNING"
          entry.jobId = jobId
          entry.startedAt ??= now
          if (entry.events.length === 0) entry.events.push({ seq: 1, event, at: now })
        }),
      output: (attempt, lines) =>
        write(
          attempt,
          (entry) => entry.state === "RUNNING",
          (entry) => void entry.lines.push(...lines)
        ),
      truncated: (attempt) =>
        write(
          attempt,
          () => true,
          (entry) => {
            entry.truncated = true
          }
        ),
      counters: (attempt, nodes) =>
        write(attempt, isOpen, (entry) => {
          entry.nodes = nodes
        }),
      ended: Effect.fnUntraced(function* (attempt, { state, event, error, nodes, outcome, archive, archives }) {
        const isCurrent = yield* write(attempt, isOpen, () => {})
        if (isCurrent && archive !== undefined) yield* addArchive(attempt.tenant, archive, archives)
        return yield* write(attempt, isOpen, (entry, now) => {
          entry.nodes = nodes ?? entry.nodes
          entry.done = outcome
          end(entry, now, state, event, error)
        })
      }),
      release: (attempt) =>
        write(attempt, isOpen, (entry) => {
          if (entry.state === "RUNNING") entry.attempts--
          entry.state = "PENDING"
          entry.owner = undefined
          entry.epoch++
        }),
      cancel: (key) =>
        Effect.sync(() => {
          const entry = entries.get(keyOf(key))
          if (entry !== undefined && isOpen(entry)) entry.cancelled = true
          return entry?.state
        }),
      endCancelled: (key, onlyPending) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const entry = entries.get(keyOf(key))
          if (entry === undefined || !entry.cancelled || !isOpen(entry)) return
          if (onlyPending && entry.state !== "PENDING") return
          entry.epoch++
          end(entry, now, "CANCELLED", `${entry.runtime}.application.cancelled`, undefined)
          return entry.runtime
        }),
      remove: (key) =>
        Effect.sync(() => {
          const entry = entries.get(keyOf(key))
          if (entry !== undefined && !isOpen(entry)) entries.delete(keyOf(key))
          return entry?.state
        }),
      toCancel: (owner) =>
        Effect.sync(() =>
          [...entries.values()].filter((entry) => entry.owner === owner && isOpen(entry) && entry.cancelled)
        ),
      unclaimed: () => Effect.succeed([]),
      orphans: Effect.succeed([]),
      detail: (key) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const entry = entries.get(keyOf(key))
          if (entry === undefined) return undefined
          const { version, runtime, startedAt, endedAt, error = null, events, nodes, kept } = entry
          return {
            ...summaryOf(entry, now),
            ...(kept ?? { parameters: {}, variables: {} }),
            ...{ version, runtime, error, nodes },
            startedAt: isoOrNull(startedAt),
            endedAt: isoOrNull(endedAt),
            events: events.map((event) => eventOf(entry.tenant, event)).reverse()
          }
        }),
      given: (key) =>
        Effect.sync(() => {
          const entry = entries.get(keyOf(key))
          if (entry === undefined) return undefined
          const { tenant, flowlineId, version, runtime, dag, trigger, body } = entry
          const origin = { ...(trigger === undefined ? {} : { trigger }), ...(body === undefined ? {} : { body }) }
          return { tenant, flowlineId, version, runtime, dag, ...origin }
        }),
      state: (key) =>
        Effect.sync(() => {
          const entry = entries.get(keyOf(key))
          return entry === undefined ? undefined : { state: entry.state, truncated: entry.truncated }
        }),
      list: (tenant, filter, span) =>
        Stream.unwrap(
          Effect.map(Clock.currentTimeMillis, (now) =>
            listed(
              [...entries.values()].filter((entry) => entry.tenant === tenant && isWanted(filter, entry)),
              span,
              (entry) => keyText(filter, entry),
              (entry) => ({ ...summaryOf(entry, now), ...parametersOf(entry) }),
              filter.order
            )
          )
        ),
      events: (key, { after, limit }) =>
        Stream.suspend(() => {
          const events = (entries.get(keyOf(key))?.events ?? [])
            .filter((event) => after === undefined || event.seq < Number(after))
            .reverse()
            .map((event) => ({ key: String(event.seq), json: JSON.stringify(eventOf(key.tenant, event)) }))
          return Stream.fromIterable(events.slice(0, limit ?? events.length))
        }),
      lines: (key, after) => Stream.suspend(() => Stream.fromIterable(linesAfter(key, after))),
      linesAfter: (key, after, page) => Effect.sync(() => linePageOf(linesAfter(key, after), page))
    })
  })
)
