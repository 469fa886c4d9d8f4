import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Routes, RunnerRoutes, table } from "./Http.ts"
import * as EnvironmentSettings from "./layers/EnvironmentSettings.ts"
import { routerConfig } from "./layers/http/RouteTable.ts"
import * as Serve from "./layers/http/Serve.ts"
import * as Production from "./layers/Production.ts"
import * as Telemetry from "./layers/Telemetry.ts"
import { Draining } from "./services/shared/Draining.ts"
import { Settings } from "./services/shared/Settings.ts"

export { Settings }

/** Comes last and goes first: what would go on for ever is told to end before the server waits for it. */
const Ready = Layer.effectDiscard(
  Effect.gen(function* () {
    const draining = yield* Draining
    yield* Effect.addFinalizer(() => draining.begin)
    yield* HttpServer.addressFormattedWith((address: string) => Console.log(`flow-gateway ready ${address}`))
  })
)

/** The whole gateway, from its settings to the line that says it is ready. Lasts as long as the layer. */
export const Gateway = Ready.pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Settings, ({ role }) =>
        HttpRouter.serve(role === "runner" ? RunnerRoutes : Routes, {
          disableLogger: true,
          disableListenLog: true,
          routerConfig
        })
      )
    )
  ),
  Layer.provide(Serve.layer(table)),
  Layer.provide(Production.layer),
  Layer.provide(Telemetry.layer)
)

/** The settings of the environment variables. */
export const settings = EnvironmentSettings.layer
