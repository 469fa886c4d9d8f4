import { Schema } from "effect"
import { text } from "./Parameters.ts"

const withoutNul = Schema.makeFilter((given: string) =>
  given.includes("\u0000") ? "Expected a text without NUL" : undefined
)

/** A text in a request's query. PostgreSQL cannot compare anything with a NUL. */
export const queryText = (maxLength: number, said: { readonly description: string; readonly example?: string }) =>
  text(said, { maxLength, pattern: "^[^\\u0000]*$" }).check(withoutNul, Schema.isMaxLength(maxLength))
