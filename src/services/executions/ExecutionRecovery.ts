import { Effect, Layer, Schedule } from "effect"
import { executionScan, unclaimedScan } from "../../protocol/Liveness.ts"
import { Gateway } from "../runs/Gateway.ts"
import { ExecutionStore } from "./ExecutionStore.ts"
import { Launcher, Supervisor } from "./Supervisor.ts"

/** Does it for ever, whatever becomes of it: the next time may go well. */
const again = <E, R>(round: Effect.Effect<void, E, R>, pause: number) =>
  round.pipe(
    Effect.ignore,
    Effect.catchDefect((defect) => Effect.logError("looking after executions", defect)),
    Effect.schedule(Schedule.spaced(pause)),
    Effect.forkScoped
  )

/**
 * Looks after executions every second: those of gateways that are gone are given to the cluster again, those of this one
 * that another one was asked to cancel are ended. Every ten seconds it tells the cluster of those that a request wrote
 * down and did not live to tell.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* ExecutionStore
    const supervisor = yield* Supervisor
    const { launch } = yield* Launcher
    const { id } = yield* Gateway
    const round = Effect.gen(function* () {
      yield* Effect.forEach(yield* store.orphans, launch, { discard: true })
      yield* Effect.forEach(yield* store.toCancel(id), supervisor.stop, { discard: true })
    })
    const untold = Effect.flatMap(store.unclaimed(id), (keys) => Effect.forEach(keys, launch, { discard: true }))
    // Before anybody can ask: no execution may be seen running that is not.
    yield* Effect.ignore(round)
    yield* again(round, executionScan)
    yield* again(untold, unclaimedScan)
  })
)
