import { Effect, Layer } from "effect"
import { executionScan, unclaimedScan } from "../../protocol/Liveness.ts"
import { Gateway } from "../runs/Gateway.ts"
import { inBackground } from "../shared/process/Background.ts"
import { ExecutionStore } from "./ExecutionStore.ts"
import { Launcher } from "./Launcher.ts"
import { Supervisor } from "./Supervisor.ts"

/**
 * Scans the executions every second: announces those of dead gateways to the cluster again, and ends those of this
 * gateway that are marked for cancelling. Every ten seconds it also announces executions that were stored but never
 * claimed, because their request died before it announced them.
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
    // The first scan precedes all requests, so that no execution of a dead gateway is shown as running.
    yield* Effect.ignore(round)
    yield* inBackground("The recovery of executions", Effect.ignore(round), executionScan)
    yield* inBackground("The announcement of unclaimed executions", Effect.ignore(untold), unclaimedScan)
  })
)
