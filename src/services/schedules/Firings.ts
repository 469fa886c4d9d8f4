import { Clock, Context, Effect, Layer, Metric, Result } from "effect"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { isGlob } from "../../languages/Glob.ts"
import type { RunTrigger } from "../../protocol/Trigger.ts"
import { Executions } from "../executions/Executions.ts"
import { declaresParameters } from "../executions/StoredFlowline.ts"
import { FlowlineStore } from "../flowlines/FlowlineStore.ts"
import { Flowlines } from "../flowlines/Flowlines.ts"
import type { StartedExecution } from "../flowlines/Starter.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import type { Commit } from "../shared/idempotency/Commit.ts"
import { CurrentRequestId } from "../shared/requests/RequestId.ts"
import { CurrentPrincipal, type Principal } from "../shared/security/Principal.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { overlapOf, type ScheduleName } from "./Schedule.ts"
import {
  notWaiting,
  overlapping,
  type ScheduleKey,
  ScheduleStore,
  startedAtOnce,
  type WaitingFiring
} from "./ScheduleStore.ts"
import { definitionOf, parametersOf } from "./StoredDefinition.ts"

const fired = Metric.counter("flow_schedule_firings_total", {
  description: "Firings of schedules, by tenant and what became of them here: started, skipped, refused or missed",
  incremental: true
})
const late = Metric.histogram("flow_schedule_late_seconds", {
  description: "How much later than due an execution of a schedule was started",
  boundaries: [0.5, 1, 2, 5, 10, 30, 60, 300, 3600]
})

/** Counts firings of a tenant. */
export const countFirings = (tenant: string, outcome: "started" | "skipped" | "refused" | "missed", number = 1) =>
  Metric.update(Metric.withAttributes(fired, { tenant, outcome }), number)

/** Who starts the executions of a schedule. No request has this principal. */
const schedulePrincipal = (name: ScheduleName): Principal => ({
  id: `schedule:${name}`,
  method: "internal",
  grants: new Map()
})

const oddPath = "The path of the file has control characters, backslashes or bytes that are not UTF-8: rename it"

/** Why a flowline cannot run with the parameters of its schedule. */
const faultsOf = ({ detail, issues = [] }: BadRequest): string =>
  issues.length === 0
    ? (detail ?? "The flowline is invalid")
    : issues
        .map((issue) => issue.detail)
        .join("; ")
        .slice(0, 2000)

/** Starts the executions of firings. */
export class Firings extends Context.Service<
  Firings,
  {
    /**
     * Starts what may start now, some of each tenant. Answers whether a tenant may have more that can start at once: not
     * when some of it waits for room.
     */
    readonly start: Effect.Effect<boolean, StorageUnreachable>
    /** Starts one firing, if it may start now. */
    readonly startOne: (key: ScheduleKey, firing: string) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/schedules/Firings") {
  static readonly layer = Layer.effect(
    Firings,
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const executions = yield* Executions
      const flowlines = yield* FlowlineStore
      const validation = yield* Flowlines
      const rules = yield* TenantRules

      const settle = (firing: WaitingFiring, state: "SKIPPED" | "REFUSED", reason: string) =>
        Effect.flatMap(store.settle(firing, state, reason), (isSettled) =>
          isSettled ? countFirings(firing.tenant, state === "SKIPPED" ? "skipped" : "refused") : Effect.void
        ).pipe(Effect.as(true))

      const goesOnWaiting = (firing: WaitingFiring, reason: string) => Effect.as(store.waits(firing, reason), false)

      /** Whether the firing waits no longer. */
      const begin = Effect.fn("Firings.begin")(function* (firing: WaitingFiring) {
        const { tenant, name, kind, file } = firing
        const definition = definitionOf(firing.definition)
        const overlap = overlapOf(definition)
        const id = FlowlineId(definition.flowline)
        const flowline = yield* flowlines.get(tenant, id, definition.version)
        if (flowline === undefined) {
          const version = definition.version === undefined ? "" : `version ${definition.version} of `
          return yield* settle(firing, "REFUSED", `There is no ${version}flowline ${JSON.stringify(id)} any more`)
        }
        if (file?.includes("\\")) return yield* settle(firing, "REFUSED", oddPath)
        if (file !== null && isGlob(file)) {
          return yield* settle(firing, "REFUSED", "The path of the file has characters of patterns: * ? [ ] { }")
        }
        const parameters = { ...definition.parameters, ...parametersOf(firing.parameters) }
        const trigger: RunTrigger = {
          schedule: name,
          kind,
          scheduledAt: new Date(firing.scheduledAt).toISOString(),
          ...(file === null ? {} : { file }),
          ...(Object.keys(parameters).length === 0 ? {} : { parameters })
        }
        const origin = { trigger: JSON.stringify(trigger), ...(firing.body === null ? {} : { body: firing.body }) }
        // The firing and its execution are one transaction: whoever is killed before its end has started nothing.
        const commit: Commit<StartedExecution> = (writes) =>
          store.begin(firing, { overlap: overlap === "allow" }, writes, (made) => ({
            id: made.id,
            flowlineId: id,
            version: flowline.version
          }))
        // A flowline without parameters of its own finds those of the schedule in the records of `trigger_input`.
        const values = declaresParameters(flowline.dag) ? parameters : {}
        const filled = yield* Effect.result(validation.withParameters(tenant, flowline, values))
        if (Result.isFailure(filled)) {
          if (filled.failure._tag === "StorageUnreachable") return yield* filled.failure
          // It is tried again with the next look at what may start.
          if (filled.failure._tag === "Overloaded") return false
          return yield* settle(firing, "REFUSED", faultsOf(filled.failure))
        }
        yield* executions.start(tenant, "schedules.fire", Effect.succeed(filled.success), commit, origin)
        const now = yield* Clock.currentTimeMillis
        yield* Metric.update(late, Math.max(0, now - firing.dueAt) / 1000)
        yield* countFirings(tenant, "started")
        return true
      })

      /** Whether a firing waits while there is no room, rather than being refused or skipped. */
      const waitsForRoom = ({ definition, backfill }: WaitingFiring) =>
        overlapOf(definitionOf(definition)) === "queue" || backfill !== null

      /**
       * What becomes of a firing that could not start. `full` gets the tenants that may have no more executions, each with
       * the reason.
       */
      const refused = (firing: WaitingFiring, full: Map<TenantId, string>) => {
        const waits = waitsForRoom(firing)
        return {
          Conflict: ({ state, detail }: Conflict) => {
            if (state === notWaiting) return Effect.succeed(true)
            if (state !== overlapping) return settle(firing, "REFUSED", detail ?? "Another request was in the way")
            const reason = `The execution ${detail} of the schedule is still open`
            return waits ? goesOnWaiting(firing, reason) : settle(firing, "SKIPPED", reason)
          },
          QueueFull: ({ limit, value }: { readonly limit: string; readonly value: number }) => {
            const reason = `The limit ${limit} of the tenant is reached: ${value} executions wait`
            full.set(firing.tenant, reason)
            return waits ? goesOnWaiting(firing, reason) : settle(firing, "REFUSED", reason)
          }
        }
      }

      /** Starts a firing if it may start, and answers whether it waits no longer. */
      const startFiring = (firing: WaitingFiring, full = new Map<TenantId, string>()) =>
        begin(firing).pipe(
          Effect.catchTags(refused(firing, full)),
          Effect.provideService(CurrentPrincipal, schedulePrincipal(firing.name)),
          Effect.provideService(CurrentRequestId, `firing-${firing.id}`),
          Effect.withSpan("schedules.fire")
        )

      return Firings.of({
        start: Effect.gen(function* () {
          const firings = yield* store.startable(rules.suspended())
          const full = new Map<TenantId, string>()
          const numbers = new Map<TenantId, number>()
          for (const firing of firings) {
            if (rules.isSuspended(firing.tenant)) continue
            const reason = full.get(firing.tenant)
            // Trying each of many that wait would hold up the other tenants.
            const isOver =
              reason !== undefined && waitsForRoom(firing)
                ? yield* goesOnWaiting(firing, reason)
                : yield* startFiring(firing, full)
            if (isOver) numbers.set(firing.tenant, (numbers.get(firing.tenant) ?? 0) + 1)
          }
          return [...numbers.values()].some((number) => number >= startedAtOnce)
        }),
        startOne: Effect.fn("Firings.startOne")(function* (key, firing) {
          for (const found of yield* store.startable(rules.suspended(), { key, firing })) yield* startFiring(found)
        })
      })
    })
  )
}
