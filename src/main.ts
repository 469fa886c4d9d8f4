import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Layer } from "effect"
import { Gateway, settings } from "./gateway.ts"
import { startFailure } from "./layers/StartFailure.ts"

NodeRuntime.runMain(
  Layer.launch(Layer.provide(Gateway, settings)).pipe(
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`flow-gateway cannot start: ${startFailure(cause)}`)
    )
  ),
  { disableErrorReporting: true }
)
