import { Effect, Formatter, Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Otlp from "effect/observability/Otlp"
import { packageVersion } from "../drivers/Package.ts"
import { CurrentRequestId } from "../services/shared/requests/RequestId.ts"
import { Settings } from "../services/shared/settings/Settings.ts"

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/**
 * Formats log lines as JSON, those of a request with its id. It asks for the id only when there is something to log: an
 * annotation would cost every request.
 */
export const jsonLogger = Logger.make<unknown, string>((options) => {
  const requestId = options.fiber.getRef(CurrentRequestId)
  const line = Logger.formatStructured.log(options)
  return Formatter.formatJson(requestId === "" ? line : { ...line, requestId })
})

/**
 * Writes logs as JSON lines to standard error, and sends traces, metrics and logs to an OTLP receiver if one is set.
 */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ logLevel, otlp }) => {
    const logs = Layer.merge(
      Logger.layer([Logger.withConsoleError(jsonLogger)]),
      Layer.succeed(References.MinimumLogLevel, levels[logLevel])
    )
    // A span per statement takes a third of the time of a small request, so none are created without a receiver.
    if (otlp === undefined) return Layer.merge(logs, Layer.succeed(References.TracerEnabled, false))
    // `Otlp.layerJson` keeps the loggers that it finds. Without `logs` below it that would be Effect's default logger,
    // which writes to standard output.
    return Otlp.layerJson({
      baseUrl: otlp,
      resource: { serviceName: "flow-gateway", serviceVersion: packageVersion }
    }).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(logs))
  })
)
