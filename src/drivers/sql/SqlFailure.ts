import { Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseAway } from "../../nodes/ports/Databases.ts"
import { RefusedAddress } from "../../nodes/ports/Network.ts"
import { Failure } from "../Failure.ts"
import { sqlState } from "../postgres/SqlState.ts"

/** A member of what the server said, such as `hint` or `detail`. */
const said = (error: SqlError, member: string): string => {
  const { cause } = error.reason
  const value = Predicate.hasProperty(cause, member) ? cause[member] : undefined
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

/** The SQLSTATE of a failed statement; empty when the server said none. */
export const stateOf = (error: SqlError): string => sqlState(error.reason.cause)

/** An SQLSTATE. Failures of connections have codes of Node and OpenSSL in the same member. */
const isState = /^[0-9A-Z]{5}$/

/** What the server said, in one line. */
export const reasonOf = (error: SqlError): string => {
  const { cause } = error.reason
  const text = cause instanceof Error ? cause.message : error.message
  const more = ["detail", "hint"].map((member) => said(error, member)).filter((part) => part !== "")
  const state = stateOf(error)
  return [`${text}${isState.test(state) ? ` (${state})` : ""}`, ...more].join(". ").replace(/\s+/g, " ")
}

/** The place in a statement, in UTF-16 units from 0; undefined when the server named none. */
export const placeOf = (error: SqlError): number | undefined => {
  const place = Number(said(error, "position"))
  return place > 0 ? place - 1 : undefined
}

/** The constraint or column that the server named. */
export const columnOf = (error: SqlError): string => said(error, "column")

/** No connection, no resources, a shutdown, a deadlock: states in which the same statement may succeed later. */
const passing = /^(08|53|57P|58|40|55P03|25P03)/

const isPassing = (error: SqlError): boolean => error.reason._tag === "ConnectionError" || passing.test(stateOf(error))

/**
 * Whether the server takes no writes, for example because it is a standby now. A session that began there stays read-only,
 * and on that server.
 */
export const isReadOnly = (error: SqlError): boolean => stateOf(error) === "25006"

/** Whether a statement has more parameters than values. Poolers also use this state to end a session without a server. */
export const isParameter = (error: SqlError): boolean =>
  stateOf(error) === "08P01" && said(error, "severityUnlocalized") === "ERROR"

/** Whether a policy of row security refuses a row. A role that may not write to the table at all gets the same state. */
export const isRowPolicy = (error: SqlError): boolean =>
  stateOf(error) === "42501" && said(error, "routine") === "ExecWithCheckOptions"

const refusedAddress = (error: unknown): RefusedAddress | undefined => {
  for (let cause = error, depth = 0; depth < 5 && cause !== undefined; depth++) {
    if (cause instanceof RefusedAddress) return cause
    cause = Predicate.hasProperty(cause, "cause") ? cause.cause : undefined
  }
  return undefined
}

const noTls = /does not support TLS|refused TLS/i
const certificate = /certificate|altname|self.signed/i

/** The failure for the user. `where` names the database without credentials. */
export const failureOf = (error: SqlError, where: string): Error => {
  const refused = refusedAddress(error.reason)
  if (refused !== undefined) return refused
  const reason = reasonOf(error)
  if (noTls.test(`${reason} ${error.message}`)) {
    return new Failure(`${where} has no TLS: add ?sslmode=disable to the URL if the way to it is safe`)
  }
  if (!isState.test(stateOf(error)) && certificate.test(reason)) {
    return new Failure(`The certificate of ${where} is not accepted: ${reason}; set ca, or sslmode=require`)
  }
  if (stateOf(error).startsWith("28")) return new Failure(`${where} refuses the login: ${reason}`)
  if (isPassing(error)) return new DatabaseAway(`${where} does not answer: ${reason}`)
  if (isReadOnly(error)) return new DatabaseAway(`${where} takes no writes: ${reason}`)
  return new Failure(`${where}: ${reason}`)
}
