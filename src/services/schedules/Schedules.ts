import { Context, Effect, Layer, type Stream } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Audit } from "../audit/Audit.ts"
import { ExecutionId } from "../executions/Execution.ts"
import { Executions } from "../executions/Executions.ts"
import { ScheduleClock } from "../runs/ScheduleClock.ts"
import { hexDigest, sha256Of } from "../shared/bytes/Sha256Digest.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { circleOf, readBackfill, readRun, readSchedule } from "./Definition.ts"
import { Firings } from "./Firings.ts"
import { invalid, namesCheck } from "./NamesCheck.ts"
import { type Backfill, type Firing, kindOf, overlapOf, type ScheduleRequest, type StoredSchedule } from "./Schedule.ts"
import { type ScheduleKey, ScheduleStore, type StoredRow } from "./ScheduleStore.ts"
import { definitionOf, shown } from "./StoredDefinition.ts"
import { TenantFolders } from "./TenantFolders.ts"
import { timesOf } from "./Times.ts"

/** Schedules that a tenant has at most. */
const mostSchedules = 1000
/** Times of a backfill at most. */
const mostTimes = 10_000

/** `fgh_<256 random bits in base64url>`. Programs that look for leaked secrets find it by this pattern. */
export const hookToken = /^fgh_[A-Za-z0-9_-]{43}$/
const makeToken = () => `fgh_${Base64Url.encode(crypto.getRandomValues(new Uint8Array(32)))}`

const changedMeanwhile = new PreconditionFailed({ detail: "The schedule was changed meanwhile" })

type Missing = NotFound | StorageUnreachable

/** Makes, changes and runs the schedules of tenants. */
export class Schedules extends Context.Service<
  Schedules,
  {
    /** Makes or replaces a schedule; with `expected` only if this revision is stored, or no schedule for null. */
    readonly put: (
      key: ScheduleKey,
      body: unknown,
      expected?: string | null
    ) => Effect.Effect<
      { readonly isNew: boolean; readonly schedule: StoredSchedule },
      BadRequest | LimitExceeded | Overloaded | PreconditionFailed | StorageUnreachable
    >
    readonly get: (key: ScheduleKey) => Effect.Effect<StoredSchedule, Missing>
    /** The schedule with its revision, which each change replaces; none if it does not exist. */
    readonly find: (
      key: ScheduleKey
    ) => Effect.Effect<{ readonly schedule: StoredSchedule; readonly revision: string } | undefined, StorageUnreachable>
    readonly list: (tenant: TenantId) => Effect.Effect<ReadonlyArray<StoredSchedule>, StorageUnreachable>
    /** Deletes a schedule, or only this revision of it. */
    readonly remove: (key: ScheduleKey, revision?: string) => Effect.Effect<void, Missing | PreconditionFailed>
    /** Pauses or resumes. Times that pass while it is paused are not made up for. */
    readonly pause: (key: ScheduleKey, paused: boolean) => Effect.Effect<StoredSchedule, Missing>
    /** Makes a new token for the webhook; the former one holds no longer. */
    readonly newToken: (key: ScheduleKey) => Effect.Effect<string, Conflict | Missing>
    /** Fires now, also when it is paused. A request that is repeated with its key gets the same firing. */
    readonly run: (key: ScheduleKey, requestKey: string, body: unknown) => Effect.Effect<Firing, BadRequest | Missing>
    readonly firings: (
      key: ScheduleKey
    ) => Effect.Effect<(span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>, Missing>
    readonly backfill: (key: ScheduleKey, body: unknown) => Effect.Effect<Backfill, BadRequest | Conflict | Missing>
    readonly backfills: (key: ScheduleKey) => Effect.Effect<ReadonlyArray<Backfill>, Missing>
    readonly cancelBackfill: (key: ScheduleKey, id: string) => Effect.Effect<void, Missing>
  }
>()("flow/schedules/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const executions = yield* Executions
      const firings = yield* Firings
      const folders = yield* TenantFolders
      const clock = yield* ScheduleClock
      const checkNames = yield* namesCheck
      const audit = yield* Audit

      const missing = ({ tenant, name }: ScheduleKey) => new NotFound({ kind: "schedule", tenant, id: name })
      const row = Effect.fnUntraced(function* (key: ScheduleKey) {
        return (yield* store.get(key)) ?? (yield* missing(key))
      })

      /** The files that are there now, where the schedule has not watched them yet. */
      const present = Effect.fnUntraced(function* (
        tenant: TenantId,
        request: ScheduleRequest,
        before: StoredRow | undefined
      ) {
        const { file } = request.trigger
        const former = before === undefined ? undefined : definitionOf(before.definition).trigger.file
        if (file?.path === former?.path && file?.root === former?.root) return undefined
        if (file === undefined) return []
        const { files, fault } = yield* folders.look(tenant, file)
        return files ?? (yield* invalid(`/trigger/file/${file.root === undefined ? "path" : "root"}`, fault))
      })

      const put: Schedules["Service"]["put"] = Effect.fn("Schedules.put")(function* (key, body, expected) {
        const request = yield* readSchedule(body)
        yield* checkNames(key, request)
        for (;;) {
          const before = yield* store.get(key)
          const revision = before?.revision ?? null
          if (expected !== undefined && expected !== revision) return yield* changedMeanwhile
          const done = yield* replace(key, request, before)
          if (done !== undefined) return done
        }
      })

      /** Undefined if the schedule is no longer the former one. */
      const replace = Effect.fnUntraced(function* (
        key: ScheduleKey,
        request: ScheduleRequest,
        before: StoredRow | undefined
      ) {
        const files = yield* present(key.tenant, request, before)
        const { at: now } = yield* clock.now
        const isSame = before !== undefined && definitionOf(before.definition).trigger.every === request.trigger.every
        const anchor = isSame ? before.anchor : Math.floor(now)
        const kind = kindOf(request.trigger)
        const token = kind === "webhook" ? makeToken() : undefined
        const definition = JSON.stringify(request)
        const { flowline, schedule, on = "success" } = request.trigger.after ?? {}
        const link = {
          name: key.name,
          flowlineId: request.flowline,
          afterFlowline: flowline ?? null,
          afterSchedule: schedule ?? null
        }
        const stored = {
          ...key,
          definition,
          kind,
          overlap: overlapOf(request),
          flowlineId: request.flowline,
          afterFlowline: flowline,
          afterSchedule: schedule,
          afterOn: kind === "after" ? on : undefined,
          tokenSha256: token === undefined ? undefined : yield* sha256Of(token),
          anchor,
          nextAt: timesOf(request.trigger, anchor)?.next(now),
          files
        }
        const after = yield* hexDigest(definition)
        const formerly = before === undefined ? undefined : yield* hexDigest(before.definition)
        const done = yield* audit.change(
          key.tenant,
          store.put(stored, mostSchedules, (others) => circleOf(link, others), before?.revision ?? null),
          (made) =>
            made._tag === "Stored" ? { action: "schedules.put", target: key.name, before: formerly, after } : undefined
        )
        switch (done._tag) {
          case "Changed":
            return undefined
          case "Circle":
            return yield* invalid(
              "/trigger/after",
              `These would fire one after the other for ever: ${done.names.join(" after ")}`
            )
          case "Full":
            return yield* new LimitExceeded({
              limit: "schedules",
              value: mostSchedules,
              used: mostSchedules + 1,
              key: `tenant:${key.tenant}`,
              tenant: key.tenant,
              detail: "The tenant has as many schedules as it may have: delete some"
            })
          case "Stored": {
            const told = done.hasToken && token !== undefined ? { token } : {}
            return { isNew: done.isNew, schedule: { ...shown(done.row), ...told } }
          }
        }
      })

      const addFiring = Effect.fnUntraced(function* (key: ScheduleKey, firingKey: string, parameters: unknown) {
        const given = parameters === undefined ? {} : { parameters: JSON.stringify(parameters) }
        const added = yield* audit.change(
          key.tenant,
          store.add(key, { key: firingKey, kind: "run", ...given }),
          (made) => (made?.isNew === true ? { action: "schedules.run", target: key.name } : undefined)
        )
        return added ?? (yield* missing(key))
      })

      return Schedules.of({
        put,
        get: (key) => Effect.map(row(key), shown),
        find: (key) =>
          Effect.map(store.get(key), (found) => found && { schedule: shown(found), revision: found.revision }),
        list: (tenant) => Effect.map(store.list(tenant), (rows) => rows.map(shown)),
        remove: Effect.fn("Schedules.remove")(function* (key, revision) {
          const removed = Effect.gen(function* () {
            const definition = yield* store.remove(key, revision)
            return definition === undefined ? undefined : yield* hexDigest(definition)
          })
          const gone = yield* audit.change(key.tenant, removed, (before) =>
            before === undefined ? undefined : { action: "schedules.remove", target: key.name, before }
          )
          if (gone !== undefined) return
          return yield* revision === undefined ? missing(key) : changedMeanwhile
        }),
        pause: Effect.fn("Schedules.pause")(function* (key, paused) {
          for (;;) {
            const read = yield* row(key)
            if (read.paused === paused) return shown(read)
            const { at } = yield* clock.now
            const next = timesOf(definitionOf(read.definition).trigger, read.anchor)?.next(at)
            const changed = yield* audit.change(key.tenant, store.pause(read, paused, next), (row) =>
              row === undefined ? undefined : { action: `schedules.${paused ? "pause" : "resume"}`, target: key.name }
            )
            if (changed !== undefined) return shown(changed)
          }
        }),
        newToken: Effect.fn("Schedules.newToken")(function* (key) {
          const { kind } = yield* row(key)
          if (kind !== "webhook") return yield* new Conflict({ detail: "The schedule has no webhook" })
          const token = makeToken()
          const digest = yield* sha256Of(token)
          const isSet = yield* audit.change(key.tenant, store.setToken(key, digest), (isSet) =>
            isSet ? { action: "schedules.newToken", target: key.name } : undefined
          )
          return isSet ? token : yield* missing(key)
        }),
        run: Effect.fn("Schedules.run")(function* (key, requestKey, body) {
          const { parameters } = yield* readRun(body)
          const { firing } = yield* addFiring(key, `run:${requestKey}`, parameters)
          yield* firings.startOne(key, `run:${requestKey}`)
          return (yield* store.firing(key, `run:${requestKey}`)) ?? firing
        }),
        firings: Effect.fn("Schedules.firings")(function* (key) {
          yield* row(key)
          return (span: ListSpan) => store.firings(key, span)
        }),
        backfill: Effect.fn("Schedules.backfill")(function* (key, body) {
          const range = yield* readBackfill(body)
          const { definition, anchor } = yield* row(key)
          const times = timesOf(definitionOf(definition).trigger, anchor)
          if (times === undefined)
            return yield* new Conflict({ detail: "Only schedules with `cron` or `every` have times" })
          const found: Array<number> = []
          for (let at = times.next(range.from - 1); at < range.to; at = times.next(at)) {
            if (found.push(at) > mostTimes) {
              return yield* invalid("/to", `More than ${mostTimes} times are in the range: send a shorter one`)
            }
            if (found.length % 100 === 0) yield* Effect.yieldNow
          }
          if (found.length === 0) return yield* invalid("/to", "No time of the schedule is in the range")
          const stored = yield* audit.change(key.tenant, store.backfill(key, { ...range, times: found }), (made) =>
            made === undefined
              ? undefined
              : { action: "schedules.backfill", target: `${key.name}/${made.id}`, count: found.length }
          )
          return stored ?? (yield* missing(key))
        }),
        backfills: Effect.fn("Schedules.backfills")(function* (key) {
          yield* row(key)
          return yield* store.backfills(key)
        }),
        cancelBackfill: Effect.fn("Schedules.cancelBackfill")(function* (key, id) {
          const isId = /^\d{1,18}$/.test(id)
          const cancel = isId ? store.cancelBackfill(key, id) : Effect.undefined
          const open = yield* audit.change(key.tenant, cancel, (found) =>
            found === undefined ? undefined : { action: "schedules.cancelBackfill", target: `${key.name}/${id}` }
          )
          if (open === undefined) return yield* new NotFound({ kind: "backfill", tenant: key.tenant, id })
          for (const { flowlineId, id } of open) {
            // One that has ended meanwhile needs no end.
            yield* executions
              .cancel(key.tenant, FlowlineId(flowlineId), ExecutionId(id))
              .pipe(Effect.catchTags({ Conflict: () => Effect.void, NotFound: () => Effect.void }))
          }
        })
      })
    })
  )
}
