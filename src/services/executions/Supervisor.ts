import { Clock, Context, Deferred, Effect, Layer, Result, Schedule, Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeCounters, RunMessage } from "../../protocol/Message.ts"
import { Archives } from "../archives/Archives.ts"
import { Engine, failureOf } from "../runs/Engine.ts"
import { Gateway } from "../runs/Gateway.ts"
import { patiently } from "../runs/Patiently.ts"
import { PositionStore } from "../runs/PositionStore.ts"
import { Provision } from "../runs/Provision.ts"
import { Signals } from "../runs/Signals.ts"
import { Settings } from "../shared/Settings.ts"
import { hasEnded } from "./Execution.ts"
import { type Claim, type Ending, type ExecutionKey, ExecutionStore, type OutputLine } from "./ExecutionStore.ts"
import { pauseAfter } from "./Retries.ts"
import { runMetrics } from "./RunMetrics.ts"
import { decodeStored } from "./StoredFlowline.ts"
import { Turns } from "./Turns.ts"

/** A newer attempt of the execution exists, or it has ended elsewhere: what this one still says does not count. */
class Superseded {
  readonly _tag = "Superseded"
}

/** Attempts that an execution gets when gateways die under it, before it counts as lost. */
const maxAttempts = 3
/** Milliseconds that the last word about an interrupted run may take. */
const farewell = 3000
/** Milliseconds before a gateway that others took for dead claims an execution again. */
const reclaim = 3000

export const keyOf = ({ tenant, id }: ExecutionKey): string => `${tenant}/${id}`

/** Keeps this process's executions running, one attempt each, and writes down what they say. */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /** Runs the execution as soon as there is room, until it has ended. Interrupting it leaves it to another gateway. */
    readonly supervise: (key: ExecutionKey) => Effect.Effect<void>
    /** Ends an execution that is to be cancelled, if it waits or runs here. Returns before its processes are gone. */
    readonly stop: (key: ExecutionKey) => Effect.Effect<void>
    readonly signals: Signals
  }
>()("flow/executions/Supervisor") {
  static readonly layer = Layer.effect(
    Supervisor,
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const archives = yield* Archives
      const engine = yield* Engine
      const provision = yield* Provision
      const positions = yield* PositionStore
      const gateway = yield* Gateway
      const signals = new Signals()
      const metrics = runMetrics()
      const cancelling = new Set<string>()
      /** The executions that wait or run here, with what tells them to stop. */
      const underWay = new Map<string, Deferred.Deferred<void>>()
      const { runs } = yield* Settings
      const turns = new Turns(runs)

      const current = (written: Effect.Effect<boolean, StorageUnreachable>) =>
        Effect.flatMap(patiently(written), (reached) => (reached ? Effect.void : Effect.fail(new Superseded())))

      const attempt = Effect.fnUntraced(function* (claim: Claim) {
        const { tenant, id, epoch, runtime } = claim
        const scope = id
        /** Whether positions may be stored under this execution's own name. */
        let kept = claim.attempts > 0
        let seq = claim.lines
        let nodes: ReadonlyArray<NodeCounters> | undefined
        let startedAt: number | undefined
        const finish = (state: Ending["state"], word: string, error?: string) =>
          Effect.tap(store.ended(claim, { state, event: `${runtime}.application.${word}`, error, nodes }), (reached) =>
            reached
              ? Effect.andThen(
                  metrics.ended(runtime, state, startedAt),
                  kept ? Effect.ignore(positions.remove(tenant, id)) : Effect.void
                )
              : Effect.void
          )

        const record = Effect.fnUntraced(function* (message: RunMessage) {
          switch (message._tag) {
            case "Started":
              startedAt = performance.now()
              return yield* current(store.started(claim, message.jobId, `${runtime}.application.start`))
            case "Output": {
              const lines = message.lines.map((line): OutputLine => ({ seq: ++seq, ...line }))
              return lines.length === 0 ? undefined : yield* current(store.output(claim, lines))
            }
            case "Truncated":
              return yield* current(store.truncated(claim))
            case "Counters":
              nodes = message.nodes
              return yield* current(store.counters(claim, message.nodes))
            case "Positions":
              kept = true
              return yield* current(positions.save(claim, scope, message.component, message.value))
            case "Archived": {
              const { sha256, size, entries } = message
              // Only the current attempt may give the execution its archive.
              yield* current(store.counters(claim, nodes ?? []))
              return yield* patiently(archives.add(tenant, { id, flowlineId: claim.flowlineId, sha256, size, entries }))
            }
            case "Ended": {
              // It says nothing of the flowline: given back, the execution begins anew, here or elsewhere.
              if (message.abandoned === true) return yield* current(store.release(claim))
              if (message.outcome === "succeeded") return yield* current(finish("SUCCEEDED", "end"))
              return yield* current(finish("FAILED", "failed", failureOf(message)))
            }
          }
        })

        // A definition of an older version of the gateway may hold what this one does not know.
        const flowline = decodeStored(claim.dag)
        if (Result.isFailure(flowline)) {
          return yield* patiently(
            finish("FAILED", "failed", `the stored flowline cannot be read: ${flowline.failure.message}`)
          )
        }
        const provisions = yield* provision.of(tenant, flowline.success)
        if (Result.isFailure(provisions)) return yield* patiently(finish("FAILED", "failed", provisions.failure))
        const spec = {
          tenant,
          executionId: id,
          epoch,
          flowline: flowline.success,
          ...provisions.success,
          scope,
          positions: kept || scope !== id ? yield* patiently(positions.load(tenant, scope)) : {}
        }
        /** A run that fails before its last try is told in the output, and is followed by the next one after a pause. */
        const run = Effect.fnUntraced(function* () {
          for (let tried = 1; ; tried++) {
            const pause = pauseAfter(spec.flowline.settings, tried)
            let failure: string | undefined
            yield* engine.run(spec).pipe(
              Stream.runForEach((message) => {
                const failed = message._tag === "Ended" && message.outcome === "failed" && message.abandoned !== true
                if (failed && pause !== undefined) {
                  failure = failureOf(message)
                  return Effect.void
                }
                return Effect.andThen(
                  record(message),
                  Effect.sync(() => signals.changed(keyOf(claim)))
                )
              })
            )
            if (failure === undefined || pause === undefined) return
            const text = `attempt ${tried} failed, the next one begins in ${pause} ms: ${failure}`
            const at = yield* Clock.currentTimeMillis
            yield* record({ _tag: "Output", lines: text.split("\n").map((text) => ({ component: "", text, at })) })
            signals.changed(keyOf(claim))
            yield* Effect.sleep(pause)
          }
        })
        yield* run().pipe(
          Effect.catchTag("Superseded", () => Effect.void),
          Effect.catchTag("StorageUnreachable", (error) =>
            patiently(finish("FAILED", "failed", `the ${error.storage} storage cannot be reached`))
          ),
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logError(`execution ${keyOf(claim)}`, defect),
              patiently(finish("FAILED", "failed", "the gateway could not follow the run"))
            )
          ),
          Effect.onInterrupt(() => {
            const last = cancelling.has(keyOf(claim)) ? finish("CANCELLED", "cancelled") : store.release(claim)
            // What cannot be written now is made up for by the patrol or by the next gateway.
            return last.pipe(Effect.retry(Schedule.spaced(250)), Effect.timeoutOption(farewell), Effect.ignore)
          })
        )
      })

      const once = (key: ExecutionKey) =>
        turns.within(
          key.tenant,
          Effect.gen(function* () {
            const claim = yield* patiently(store.claim(key, gateway.id))
            if (claim === undefined) return
            if (claim.attempts < maxAttempts) return yield* metrics.running(attempt(claim))
            const error = `lost: the gateway died ${claim.attempts} times while it ran`
            const event = `${claim.runtime}.application.failed`
            yield* patiently(store.ended(claim, { state: "LOST", event, error, nodes: undefined }))
          })
        )

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
            yield* Effect.raceFirst(once(key), Deferred.await(stopped))
            yield* patiently(store.endCancelled(key, false))
            const now = yield* patiently(store.state(key))
            if (now === undefined || hasEnded(now.state)) return
            // Others took this gateway for dead. The pause gives one that has lost the execution the time to hear of it.
            yield* Effect.sleep(reclaim)
          }
        })
        yield* Effect.ensuring(untilEnded, gone)
      })

      const stop = Effect.fn("Supervisor.stop")(function* (key: ExecutionKey) {
        const stopped = underWay.get(keyOf(key))
        if (stopped === undefined) yield* Effect.ignore(store.endCancelled(key, true))
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
