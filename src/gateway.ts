import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Routes, RunnerRoutes, table } from "./Http.ts"
import * as EnvironmentSettings from "./layers/EnvironmentSettings.ts"
import { routerConfig } from "./layers/http/routes/RouteTable.ts"
import * as Serve from "./layers/http/Serve.ts"
import * as Production from "./layers/Production.ts"
import { PythonPlaces } from "./layers/python/PythonPlaces.ts"
import * as Telemetry from "./layers/Telemetry.ts"
import { Draining } from "./services/shared/process/Draining.ts"
import { Settings } from "./services/shared/settings/Settings.ts"

export { Settings }

/** Built last, released first: endless streams stop before the server drains. */
const Ready = Layer.effectDiscard(
  Effect.gen(function* () {
    const draining = yield* Draining
    yield* Effect.addFinalizer(() => draining.begin)
    // Runs need it soon, and the log is to say at the start what it lacks.
    const python = yield* PythonPlaces
    void python.place()
    const { tls } = yield* Settings
    yield* HttpServer.addressFormattedWith((address: string) =>
      Console.log(`flow-gateway ready ${tls === undefined ? address : address.replace("http:", "https:")}`)
    )
  })
)

/** The whole gateway, from its settings to the line that reports it ready. It runs for the lifetime of the layer. */
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

/** Reads the settings from environment variables. */
export const settings = EnvironmentSettings.layer
