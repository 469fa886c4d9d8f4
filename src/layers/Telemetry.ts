import { Clock, Effect, Formatter, Layer, Logger, References } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
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

/** Milliseconds after which it is told again that a receiver takes nothing. */
const tellEvery = 600_000

/** What is at the bottom of an error, as `fetch` wraps it. */
const originOf = (error: Error): Error => (error.cause instanceof Error ? originOf(error.cause) : error)

/**
 * A client that logs when the receiver refuses or cannot be reached. Effect's exporter, which then drops what it has,
 * tells it to debuggers only.
 */
const tellingClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) => {
    const told = new Map<string, number>()
    const tell = (url: string, why: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now < (told.get(url) ?? -tellEvery) + tellEvery) return Effect.void
        told.set(url, now)
        return Effect.logWarning(`The OTLP receiver does not take what was sent to ${url}: ${why}`)
      })
    return client.pipe(
      HttpClient.tap(({ request, status }) =>
        status < 400 ? Effect.void : tell(request.url, `it answers with status ${status}`)
      ),
      HttpClient.tapError((error) => {
        const { code, message } = originOf(error) as NodeJS.ErrnoException
        return tell(error.request.url, message === "" ? String(code) : message)
      })
    )
  })
).pipe(Layer.provide(FetchHttpClient.layer))

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
    }).pipe(Layer.provide(tellingClient), Layer.provideMerge(logs))
  })
)
