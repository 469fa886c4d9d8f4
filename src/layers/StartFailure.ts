import { Cause, Config, Option, Predicate, Schema, SchemaIssue } from "effect"
import { HttpServerError } from "effect/http"

/** Why the gateway cannot start: one line for the operator, or the whole cause if it is a bug. */
export const startFailure = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.findErrorOption(cause), { onSome: reasonOf, onNone: () => Cause.pretty(cause) })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const settingFailure = ({ cause, message }: Config.ConfigError): string => {
  if (!Schema.isSchemaError(cause)) return `the settings are invalid: ${message}`
  return formatIssues(cause.issue)
    .issues.map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
    .join("; ")
}

const reasonOf = (error: unknown): string => {
  if (error instanceof HttpServerError.ServeError) {
    return error.cause instanceof Error ? error.cause.message : "cannot listen on the address"
  }
  if (error instanceof Config.ConfigError) return settingFailure(error)
  if (Predicate.hasProperty(error, "variable") && error instanceof Error) return `${error.variable}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
