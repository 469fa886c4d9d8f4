import { Cause, Config, Option, Predicate, Schema, SchemaIssue } from "effect"
import { HttpServerError } from "effect/http"
import { SqlError } from "effect/sql/SqlError"
import { saidBy } from "../drivers/postgres/SqlState.ts"
import { isUnreachable } from "../drivers/postgres/Unreachable.ts"
import { messageOf } from "../languages/ErrorMessage.ts"

/** Why the gateway cannot start: one line for the operator, or the whole cause if it is a bug. */
export const startFailure = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.findErrorOption(cause), {
    onSome: (error) => oneLine(reasonOf(error)),
    onNone: () => {
      const defect = Cause.squash(cause)
      if (isSystemError(defect)) return oneLine(defect.message)
      // PostgreSQL went away, or took no more connections, after the start had begun.
      if (defect instanceof SqlError && isUnreachable(defect)) {
        return oneLine(`PostgreSQL cannot be used: ${saidBy(defect)}`)
      }
      return Cause.pretty(cause)
    }
  })

/** The text may come from files: control characters must neither break the line nor move a terminal's cursor. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").trim()

/** An error of the system, such as ENOTDIR for a folder that is a file, is not a bug. */
const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && Predicate.hasProperty(error, "syscall")

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const settingFailure = ({ cause, message }: Config.ConfigError): string => {
  if (!Schema.isSchemaError(cause)) return `the settings are invalid: ${message}`
  return formatIssues(cause.issue)
    .issues.map(({ message, path = [] }) => `${path.map(String).join(".")}: ${message}`)
    .join("; ")
}

/** Why the gateway cannot listen, and the setting that changes it. */
const listenFailure = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "cannot listen on the address"
  switch (Predicate.hasProperty(cause, "code") ? cause.code : undefined) {
    case "EADDRINUSE":
      return `FLOW_PORT: another program uses this port, choose another one: ${cause.message}`
    case "EACCES":
      return `FLOW_PORT: this user may not listen on this port, choose one from 1024: ${cause.message}`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `FLOW_HOST: this machine does not have this address: ${cause.message}`
    default:
      return cause.message
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof HttpServerError.ServeError) return listenFailure(error.cause)
  if (error instanceof Config.ConfigError) return settingFailure(error)
  if (Predicate.hasProperty(error, "variable") && error instanceof Error) return `${error.variable}: ${error.message}`
  if (error instanceof SqlError) return `PostgreSQL cannot be used: ${saidBy(error)}`
  return messageOf(error)
}
