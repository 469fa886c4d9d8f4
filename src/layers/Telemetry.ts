import { Effect, Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Otlp from "effect/observability/Otlp"
import { packageVersion } from "../drivers/Package.ts"
import { Settings } from "../services/shared/Settings.ts"

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/**
 * Writes logs as JSON lines to standard error, and sends traces, metrics and logs to an OTLP receiver if one is set.
 */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ logLevel, otlp }) => {
    const logs = Layer.merge(
      Logger.layer([Logger.withConsoleError(Logger.formatJson)]),
      Layer.succeed(References.MinimumLogLevel, levels[logLevel])
    )
    // A span per statement takes a third of the time of a small request, so none are created without a receiver.
    if (otlp === undefined) return Layer.merge(logs, Layer.succeed(References.TracerEnabled, false))
    // It adds its logger to those that are there: to the default one, which writes to standard output, unless told so.
    return Otlp.layerJson({
      baseUrl: otlp,
      resource: { serviceName: "flow-gateway", serviceVersion: packageVersion }
    }).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(logs))
  })
)
