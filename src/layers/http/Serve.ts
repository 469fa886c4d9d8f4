import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { Settings } from "../../services/shared/Settings.ts"
import { accessLine, bufferedWriter } from "./AccessLog.ts"
import { nodeServer } from "./NodeServer.ts"
import { serverWithFewServices } from "./RequestContext.ts"
import { requestMetrics } from "./RequestMetrics.ts"
import type { RouteTable } from "./RouteTable.ts"

/** The Node server with access log and metrics. The log is written to standard error, one JSON object per line. */
export const layer = (table: RouteTable) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { host, port, logLevel, stopPatience } = yield* Settings
      const context = yield* Effect.context<never>()
      const observe = requestMetrics(table, context)
      // The reader of the log may close the pipe; the gateway keeps serving.
      process.stderr.on("error", () => {})
      const log = bufferedWriter((text) => process.stderr.write(text))
      const logs = logLevel === "info" || logLevel === "debug"
      yield* Effect.addFinalizer(() => Effect.sync(log.flush))
      const server = nodeServer((exchange) => {
        observe(exchange)
        if (logs) log.add(accessLine(exchange))
      })
      const options = { host, port, gracefulShutdownTimeout: stopPatience }
      return serverWithFewServices.pipe(
        Layer.provide(NodeHttpServer.layerServer(() => server, options)),
        Layer.provideMerge(NodeHttpServer.layerHttpServices)
      )
    })
  )
