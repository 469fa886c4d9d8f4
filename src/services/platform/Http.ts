import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { Platform } from "./Platform.ts"

export const PlatformHttp = HttpApiBuilder.group(
  Api,
  "platform",
  Effect.fn(function* (handlers) {
    const platform = yield* Platform
    return handlers.handleAll({
      properties: () => platform.properties,
      tenant: () => platform.tenant
    })
  })
)
