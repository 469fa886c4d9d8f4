import { Schema } from "effect"
import { examplesOf, valueSchema } from "./Parameters.ts"

/** A text in a request's query. PostgreSQL cannot compare anything with a NUL. */
export const QueryText = Schema.String.check(
  Schema.makeFilter((text: string) => (text.includes("\u0000") ? "Expected a text without NUL" : undefined))
)

/** A {@link QueryText} of a limited length, and what OpenAPI says of it. */
export const queryText = (maxLength: number, { description, example }: { description: string; example?: string }) =>
  QueryText.check(Schema.isMaxLength(maxLength)).annotate({
    description,
    [valueSchema]: { type: "string", maxLength, pattern: "^[^\\u0000]*$", ...examplesOf(example) }
  })
