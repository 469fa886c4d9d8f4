import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { Gateway, settings } from "./gateway.ts"
import { startFailure } from "./layers/StartFailure.ts"

NodeRuntime.runMain(
  Layer.launch(Layer.provide(Gateway, settings)).pipe(
    Effect.tapError((error) => Console.error(`flow-gateway cannot start: ${startFailure(error)}`))
  ),
  { disableErrorReporting: true }
)
