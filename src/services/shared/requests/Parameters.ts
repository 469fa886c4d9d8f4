import { Schema, SchemaTransformation } from "effect"
import { expectedTimestamp, isTimestamp, timestampPattern } from "../../../languages/TimestampText.ts"

/**
 * The annotation with the JSON Schema of a parameter's value, for OpenAPI. Effect describes a parameter by the text that
 * is sent, without the type and the checks of its value. The annotation must be on the text, before its checks.
 */
export const valueSchema = "x-value"

/** The keywords of a JSON Schema (2020-12). */
type Keywords = Readonly<Record<string, unknown>>

interface Documented {
  readonly description: string
  /** Missing where only a value of an earlier answer works. */
  readonly example?: string | number | boolean
}

/** The keyword `examples` of a JSON Schema, if there is an example. */
const examplesOf = (example: unknown) => (example === undefined ? {} : { examples: [example] })

/** Digits: as OpenAPI means an integer, not `1e3`, `0x10` or `1.0`. */
const isWhole = Schema.isPattern(/^-?\d+$/, { expected: "a whole number" })

/** A whole number in a query, within its range. */
export const wholeNumber = (
  range: { readonly minimum: number; readonly maximum: number },
  { description, example }: Documented
) =>
  Schema.String.annotate({ description, [valueSchema]: { type: "integer", ...range, ...examplesOf(example) } })
    .check(isWhole)
    .pipe(Schema.decodeTo(Schema.Int.check(Schema.isBetween(range)), SchemaTransformation.numberFromString))

/** A text in a query or path. `more` tells OpenAPI what it is like; checks are added to the result. */
export const text = ({ description, example }: Documented, more: Keywords = {}) =>
  Schema.String.annotate({ description, [valueSchema]: { type: "string", ...more, ...examplesOf(example) } })

const withoutNul = Schema.makeFilter((given: string) =>
  given.includes("\u0000") ? "Expected a text without NUL" : undefined
)

/** A text in a request's query. PostgreSQL cannot compare anything with a NUL. */
export const queryText = (maxLength: number, said: { readonly description: string; readonly example?: string }) =>
  text(said, { maxLength, pattern: "^[^\\u0000]*$" }).check(withoutNul, Schema.isMaxLength(maxLength))

/** `true` or `false` in a query. */
export const booleanText = ({ description, example }: Documented) =>
  Schema.Literals(["true", "false"])
    .annotate({ description, [valueSchema]: { type: "boolean", ...examplesOf(example) } })
    .pipe(
      Schema.decodeTo(
        Schema.Boolean,
        SchemaTransformation.transform({
          decode: (given) => given === "true",
          encode: (value): "true" | "false" => (value ? "true" : "false")
        })
      )
    )

/** One of some words in a query. */
export const choice = <const Words extends ReadonlyArray<string>>(words: Words, { description, example }: Documented) =>
  Schema.Literals(words).annotate({
    description,
    [valueSchema]: { type: "string", enum: words, ...examplesOf(example) }
  })

/** A time in a query, as epoch milliseconds. */
export const instant = (said: Documented) =>
  text(said, { pattern: timestampPattern.source })
    .check(Schema.makeFilter(isTimestamp, { expected: expectedTimestamp }))
    .pipe(
      Schema.decodeTo(
        Schema.Number,
        SchemaTransformation.transform({
          decode: (time) => Date.parse(time),
          encode: (at) => new Date(at).toISOString()
        })
      )
    )
    .annotate({ description: `${said.description}: epoch milliseconds` })

/**
 * A file as a part of a form. Declared as a binary text, because Effect's file schema makes optional parts required in
 * OpenAPI; the server parses forms itself.
 */
export const filePart = (description: string) => Schema.String.annotate({ description, format: "binary" })

/** A number of a version: any that JSON can say exactly. One that does not exist is not found. */
export const versionRange = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

/** The sequence number after which lines or events are wanted. */
export const sequenceAfter = (what: string) =>
  wholeNumber(
    { minimum: 0, maximum: 2 ** 53 - 1 },
    { description: `Only ${what} after this sequence number`, example: 0 }
  )
