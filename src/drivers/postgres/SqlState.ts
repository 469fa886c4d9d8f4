import { Predicate } from "effect"

/** The SQLSTATE of what PostgreSQL said, which the driver keeps as `code`; empty for any other failure. */
export const sqlState = (cause: unknown): string => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")
