import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Routes, table } from "./Http.ts"
import { routerConfig } from "./layers/http/RouteTable.ts"
import * as Serve from "./layers/http/Serve.ts"
import * as Production from "./layers/Production.ts"
import * as Settings from "./layers/Settings.ts"
import { startFailure } from "./layers/StartFailure.ts"
import * as Telemetry from "./layers/Telemetry.ts"

const Ready = Layer.effectDiscard(
  HttpServer.addressFormattedWith((address: string) => Console.log(`flow-gateway ready ${address}`))
)

const Gateway = Ready.pipe(
  Layer.provideMerge(
    HttpRouter.serve(Routes, {
      disableLogger: true,
      disableListenLog: true,
      routerConfig
    })
  ),
  Layer.provide(Serve.layer(table)),
  Layer.provide(Production.layer),
  Layer.provide(Telemetry.layer),
  Layer.provide(Settings.layer)
)

NodeRuntime.runMain(
  Layer.launch(Gateway).pipe(
    Effect.tapError((error) => Console.error(`flow-gateway cannot start: ${startFailure(error)}`))
  ),
  { disableErrorReporting: true }
)
