import { Schema } from "effect"

/** A text in a request's query. PostgreSQL cannot compare anything with a NUL. */
export const QueryText = Schema.String.check(
  Schema.makeFilter((text: string) => (text.includes("\u0000") ? "Expected a text without NUL" : undefined))
)
