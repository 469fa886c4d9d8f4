import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { Installation } from "./Installation.ts"
import { Platform } from "./Platform.ts"

export const PlatformHttp = HttpApiBuilder.group(
  Api,
  "platform",
  Effect.fn(function* (handlers) {
    const platform = yield* Platform
    // The settings do not change at run time, so the answer is built once.
    const tenant = Effect.succeed(HttpServerResponse.jsonUnsafe(yield* platform.tenant))
    const installation = yield* Installation
    return handlers
      .handle("properties", () => platform.properties)
      .handleRaw("tenant", () => tenant)
      .handle("installation", () => installation.view)
  })
)
