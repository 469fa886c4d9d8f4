import { Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of what PostgreSQL said, which the driver keeps as `code`; empty for any other failure. */
export const sqlState = (cause: unknown): string => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")

/**
 * What PostgreSQL said, or why it could not be understood. A server that can start no process for a connection says so in
 * a text without a length, as in the protocol of PostgreSQL 7.3.
 */
export const saidBy = ({ message, reason }: SqlError): string => {
  if (Predicate.isTagged(reason.cause, "PgProtocolParseError")) {
    return "the server answers with something else than its protocol, such as when it cannot start a process; see its log"
  }
  return reason.cause instanceof Error ? reason.cause.message : message
}
