import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Layer } from "effect"
import { Gateway, settings } from "./gateway.ts"
import * as Leisure from "./layers/Leisure.ts"
import { startFailure } from "./layers/StartFailure.ts"

NodeRuntime.runMain(
  Layer.launch(Layer.merge(Layer.provide(Gateway, settings), Leisure.layer())).pipe(
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`flow-gateway cannot start: ${startFailure(cause)}`)
    )
  ),
  { disableErrorReporting: true }
)
