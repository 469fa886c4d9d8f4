import { Config, Predicate } from "effect"
import { HttpServerError } from "effect/http"

/** Why the gateway cannot start, in one line for the person who started it. */
export const startFailure = (error: unknown): string => {
  if (error instanceof HttpServerError.ServeError) {
    return error.cause instanceof Error ? error.cause.message : "the address cannot be listened on"
  }
  if (error instanceof Config.ConfigError) return `a setting is not valid: ${error.message}`
  if (Predicate.hasProperty(error, "variable") && error instanceof Error) return `${error.variable}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
