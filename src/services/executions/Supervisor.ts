import { Context, Deferred, Effect, Layer, Result } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { durationMillis } from "../../languages/DurationText.ts"
import { carries } from "../../nodes/Catalogue.ts"
import { overLimit } from "../../protocol/Allowances.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import { reclaimPause } from "../../protocol/Liveness.ts"
import { archiveQuotaOf } from "../archives/ArchiveStore.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { UsageCounters } from "../limits/UsageCounters.ts"
import { Attempts, failed, fenced, type Outcome } from "../runs/Attempt.ts"
import { Gateway } from "../runs/Gateway.ts"
import { retryWhileUnreachable } from "../runs/Outage.ts"
import { flowlineScope, PositionScope, PositionStore } from "../runs/PositionStore.ts"
import { Signals } from "../runs/Signals.ts"
import { FairSemaphore, lastingPlaces } from "../shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../shared/process/ObservableMetrics.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { hasEnded } from "./Execution.ts"
import { type Claim, type Ending, type ExecutionKey, ExecutionStore } from "./ExecutionStore.ts"
import { runMetrics } from "./RunMetrics.ts"
import { decodeBody, flowlineOf } from "./StoredFlowline.ts"

/** Number of attempts after which an execution whose gateways died is `LOST`. */
const maxAttempts = 3

/** The key as one text, the id of the execution's entity. */
export const keyOf = ({ tenant, id }: ExecutionKey): string => `${tenant}/${id}`

/** The pause in milliseconds after failed run number `run`, counted from 1; undefined after the last one. */
export const pauseAfter = ({ retry }: Flowline["settings"], run: number): number | undefined =>
  retry === undefined || run >= retry.attempts
    ? undefined
    : Math.min(durationMillis(retry.initial) * 2 ** (run - 1), durationMillis(retry.max))

/** Runs the executions of this gateway, and stores their events, output and counters. */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /** Runs the execution in the next free slot until it has ended. An interruption releases it for other gateways. */
    readonly supervise: (key: ExecutionKey) => Effect.Effect<void>
    /** Ends an execution of this gateway that is marked for cancelling. Returns before its processes have ended. */
    readonly stop: (key: ExecutionKey) => Effect.Effect<void>
    readonly signals: Signals
  }
>()("flow/executions/Supervisor") {
  static readonly layer = Layer.effect(
    Supervisor,
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const attempts = yield* Attempts
      const positions = yield* PositionStore
      const gateway = yield* Gateway
      const signals = new Signals()
      const cancelling = new Set<string>()
      /** The waiting and running executions of this gateway; completing the deferred stops one. */
      const underWay = new Map<string, Deferred.Deferred<void>>()
      const { runs, ceilings } = yield* Settings
      const rules = yield* TenantRules
      const placesOf = (tenant: TenantId) => rules.limitsOf(tenant).runningExecutions.value ?? runs.all
      const slots = new FairSemaphore(lastingPlaces(runs, placesOf))
      ;(yield* UsageCounters).counts("runningExecutions", (tenant) => slots.takenBy(tenant))
      yield* observeQueue("executions", slots)
      yield* runMetrics.begin

      const attempt = (claim: Claim) => {
        const { tenant, id, epoch, runtime, flowlineId, lines } = claim
        const key = keyOf(claim)
        const scope = PositionScope(id)
        const changed = Effect.sync(() => signals.changed(key))
        /** Whether positions of this execution may be stored. */
        let kept = claim.attempts > 0
        let startedAt: number | undefined
        const { run, prepare, print, nodes, outcome, guarded, hold } = attempts.begin({
          name: `execution ${key}`,
          tenant,
          epoch,
          scope,
          flowlineId,
          lines,
          changed,
          started: (jobId) => {
            startedAt = performance.now()
            return store.started(claim, jobId, `${runtime}.application.start`)
          },
          output: (lines) => store.output(claim, lines),
          truncated: store.truncated(claim),
          counters: (nodes) => store.counters(claim, nodes),
          confirm: (nodes) => store.counters(claim, nodes ?? []),
          progress: (given) => {
            kept = true
            return positions.save(claim, scope, given)
          },
          claimFiles: (paths) => {
            kept = true
            return positions.claimFiles(claim, scope, paths)
          }
        })

        const finish = (
          state: Ending["state"],
          word: string,
          { error, archive, carried }: Pick<Ending, "archive" | "carried"> & { readonly error?: string } = {}
        ): Effect.Effect<boolean, StorageUnreachable> => {
          const archives = archiveQuotaOf(rules.limitsOf(tenant))
          const event = `${runtime}.application.${word}`
          const done = outcome()
          const ending = { state, event, error, nodes: nodes(), outcome: done, archive, archives, carried }
          return Effect.tap(store.ended(claim, ending), (reached) =>
            reached
              ? Effect.andThen(
                  runMetrics.ended(runtime, state, startedAt, done, nodes()),
                  kept ? Effect.ignore(positions.remove(tenant, scope)) : Effect.void
                )
              : Effect.void
          ).pipe(
            Effect.catchTag("TooManyArchives", ({ limit, value, used }) =>
              finish("FAILED", "failed", { error: overLimit(tenant, limit, value, used) })
            )
          )
        }

        const conclude = (outcome: Outcome) => {
          switch (outcome._tag) {
            case "Succeeded":
              return fenced(finish("SUCCEEDED", "end", { archive: outcome.archive, carried: outcome.carried }))
            case "Failed":
              return fenced(finish("FAILED", "failed", { error: outcome.error }))
            case "Abandoned":
              // The released execution begins again, here or on another gateway.
              return fenced(store.release(claim))
          }
        }

        /** Repeats failed runs as `retry` says. Each failure that is followed by another run is reported in the output. */
        const runUntilDone = Effect.gen(function* () {
          const read = flowlineOf(claim, ceilings)
          if (Result.isFailure(read)) return failed(read.failure)
          const { flowline, trigger } = read.success
          const carried = carries(flowline)
            ? yield* retryWhileUnreachable(positions.load(tenant, flowlineScope(flowlineId)))
            : undefined
          const started = {
            executionId: id,
            ...(carried === undefined ? {} : { carried }),
            ...(trigger === undefined ? {} : { trigger }),
            ...(claim.body === null ? {} : { triggerBody: decodeBody(claim.body) })
          }
          const stored = Effect.suspend(() => (kept ? positions.load(tenant, scope) : Effect.succeed({})))
          const spec = yield* prepare(flowline, started, stored)
          if (Result.isFailure(spec)) return failed(spec.failure)
          for (let tried = 1; ; tried++) {
            const outcome = yield* run(tried === 1 ? spec.success : { ...spec.success, positions: yield* stored })
            const pause = pauseAfter(flowline.settings, tried)
            if (outcome._tag !== "Failed" || pause === undefined) return outcome
            yield* print(`attempt ${tried} failed, the next one begins in ${pause} ms: ${outcome.error}`)
            yield* Effect.sleep(pause)
          }
        })

        return hold(
          guarded(Effect.flatMap(runUntilDone, conclude), (error) => conclude(failed(error))).pipe(
            Effect.andThen(changed)
          ),
          () => (cancelling.has(key) ? finish("CANCELLED", "cancelled") : store.release(claim))
        )
      }

      /** Ends an execution that is cancelled while it has no run. */
      const endCancelled = (key: ExecutionKey, onlyPending: boolean) =>
        Effect.tap(store.endCancelled(key, onlyPending), (runtime) =>
          runtime === undefined ? Effect.void : runMetrics.ended(runtime, "CANCELLED")
        )

      const once = (key: ExecutionKey) =>
        slots.within(
          key.tenant,
          Effect.gen(function* () {
            const claim = yield* retryWhileUnreachable(store.claim(key, gateway.id))
            if (claim === undefined) return
            if (claim.attempts < maxAttempts) return yield* runMetrics.running(attempt(claim))
            const error = `lost: the gateway died ${claim.attempts} times while it ran`
            const event = `${claim.runtime}.application.failed`
            const lost = store.ended(claim, { state: "LOST", event, error, nodes: undefined })
            const reached = yield* retryWhileUnreachable(Effect.catchTag(lost, "TooManyArchives", Effect.die))
            if (reached) yield* runMetrics.ended(claim.runtime, "LOST")
          })
        )

      /**
       * Releases the execution when the tenant is suspended: it waits, and begins again when the suspension is lifted.
       */
      const unlessSuspended = (key: ExecutionKey) =>
        Effect.andThen(rules.untilAllowed(key.tenant), Effect.raceFirst(once(key), rules.untilSuspended(key.tenant)))

      const supervise = Effect.fn("Supervisor.supervise")(function* (key: ExecutionKey) {
        const stopped = yield* Deferred.make<void>()
        underWay.set(keyOf(key), stopped)
        const gone = Effect.sync(() => {
          underWay.delete(keyOf(key))
          cancelling.delete(keyOf(key))
          signals.changed(keyOf(key))
        })
        const untilEnded = Effect.gen(function* () {
          for (;;) {
            yield* Effect.raceFirst(unlessSuspended(key), Deferred.await(stopped))
            yield* retryWhileUnreachable(endCancelled(key, false))
            const now = yield* retryWhileUnreachable(store.state(key))
            if (now === undefined || hasEnded(now.state)) return
            // This gateway counted as gone. The pause gives the gateway that has lost the execution the time to notice
            // it.
            yield* Effect.sleep(reclaimPause)
          }
        })
        yield* Effect.ensuring(untilEnded, gone)
      })

      const stop = Effect.fn("Supervisor.stop")(function* (key: ExecutionKey) {
        const stopped = underWay.get(keyOf(key))
        if (stopped === undefined) yield* Effect.ignore(endCancelled(key, true))
        else {
          cancelling.add(keyOf(key))
          yield* Deferred.succeed(stopped, undefined)
        }
        signals.changed(keyOf(key))
      })

      return Supervisor.of({ supervise, stop, signals })
    })
  )
}
