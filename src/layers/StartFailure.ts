import { Cause, Config, Option, Predicate, Schema, SchemaIssue } from "effect"
import { HttpServerError } from "effect/http"

/** Why the gateway cannot start: a line for the person who started it, or all that is known of a fault of its own. */
export const startFailure = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.findErrorOption(cause), { onSome: reasonOf, onNone: () => Cause.pretty(cause) })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const settingFailure = ({ cause, message }: Config.ConfigError): string => {
  if (!Schema.isSchemaError(cause)) return `the settings cannot be read: ${message}`
  return formatIssues(cause.issue)
    .issues.map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
    .join("; ")
}

const reasonOf = (error: unknown): string => {
  if (error instanceof HttpServerError.ServeError) {
    return error.cause instanceof Error ? error.cause.message : "the address cannot be listened on"
  }
  if (error instanceof Config.ConfigError) return settingFailure(error)
  if (Predicate.hasProperty(error, "variable") && error instanceof Error) return `${error.variable}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
