import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { typeBit } from "../../../languages/query/FieldTypes.ts"
import { sqlState } from "../../postgres/SqlState.ts"
import { type Part, tableOf } from "../indices/Catalog.ts"
import { type TypedPart, typesIn } from "../indices/PartTypes.ts"
import { compacted } from "../statements/CompactStatement.ts"
import { rawAt } from "../statements/FieldValue.ts"

/**
 * How a statement reads the values of a field. `numbers`, `texts` and `booleans` take about as long as SQL that is written
 * for one type, and tell when a value is of another one; `any` takes a value with its JSON type; with `lists` each value of a
 * list counts.
 */
type Reading = "numbers" | "texts" | "booleans" | "any" | "lists"

export interface Readings {
  readonly of: (field: string) => Reading
  /** Whether all values of a field are known to be like this. */
  readonly isKnown: (field: string) => boolean
}

/** Number of documents of a part that are looked at. */
const looked = 50

/** First characters of the texts that the JSON of a number, a boolean, a list or an object may begin with. */
const first = `'{${[..."-0123456789[{tf"].map((character) => character.charCodeAt(0)).join(",")}}'::integer[]`

/** Whether a text may be the JSON of a value that is no text. Most texts cost the look at their first character. */
export const maybeOther = (sql: SqlClient.SqlClient, text: Fragment): Fragment =>
  sql`case when ascii(${text}) = any(${sql.literal(first)})
    then ${text} ~ '^(-?[0-9]+([.][0-9]+)?$|true$|false$|[[{])' else false end`

/** What the engine knows of fields that are no members of a document. */
const own = new Map<string, Reading>([
  ["_id", "texts"],
  ["_index", "texts"],
  ["@timestamp", "numbers"]
])

/** Whether the field is none of a document's members but the engine's own, such as `_id`, whose type is known. */
export const isOwn = (field: string): boolean => own.has(field)

/** Reads all values with their types: right for all documents without lists. */
export const anyReadings: Readings = { of: (field) => own.get(field) ?? "any", isKnown: isOwn }

/** SQLSTATEs of casts from JSON and texts of another type, and from numbers that a double cannot hold. */
const misread = ["22023", "22P02", "22003"]

/** Whether a statement failed because values were not what they were assumed to be. */
const isMisread = (error: unknown): error is SqlError =>
  error instanceof SqlError && misread.includes(sqlState(error.reason.cause))

/** Reads otherwise when values were not what they were assumed to be, in a new transaction. */
export const orElse = <A, E, B, F>(self: Effect.Effect<A, E>, other: () => Effect.Effect<B, F>) =>
  Effect.catchIf(self, isMisread, other)

const readingOf = (kinds: string): Reading => {
  const found = new Set(kinds.split(",").filter((kind) => kind !== "null" && kind !== ""))
  if (found.has("array")) return "lists"
  if (found.size !== 1) return "any"
  if (found.has("number")) return "numbers"
  if (found.has("string")) return "texts"
  return found.has("boolean") ? "booleans" : "any"
}

const readingOfTypes = (types: number): Reading => {
  if ((types & typeBit.list) !== 0) return "lists"
  if (types === typeBit.number) return "numbers"
  if (types === typeBit.boolean) return "booleans"
  return types === typeBit.text || types === 0 ? "texts" : "any"
}

/**
 * How the values of fields can be read, by the types that all parts know of them. For parts of before it is a guess, by
 * some documents of the first and of the last part.
 */
export const readingsOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<TypedPart>,
  fields: Iterable<string>
) {
  const readings = new Map<string, Reading>()
  const names: Array<string> = []
  for (const field of new Set(fields)) {
    if (isOwn(field)) continue
    const types = typesIn(parts, field)
    if (types === undefined) names.push(field)
    else readings.set(field, readingOfTypes(types))
  }
  const isKnown = (field: string) => isOwn(field) || (readings.has(field) && !names.includes(field))
  const found = { of: (field) => readings.get(field) ?? anyReadings.of(field), isKnown } satisfies Readings
  if (names.length === 0) return found
  const some: ReadonlyArray<Part> = [...new Set([parts[0], parts.at(-1)])].flatMap((part) => part ?? [])
  const one = ({ part, index }: Part) => {
    const values = names.map((name, at) => sql`${rawAt(sql, name, index)} as ${sql.literal(`x${at}`)}`)
    return sql`(select ${sql.csv(values)} from ${sql(tableOf(part))} limit ${looked}::bigint)`
  }
  const kinds = names.map((_, at) => {
    const x = sql.literal(`x${at}`)
    const kind = sql`case when jsonb_typeof(${x}) = 'string' and ${maybeOther(sql, sql`(${x} #>> '{}')`)} then 'code'
      else jsonb_typeof(${x}) end`
    return sql`string_agg(distinct ${kind}, ',') as ${sql.literal(`r${at}`)}`
  })
  const statement = sql<Readonly<Record<string, string | null>>>`
    select ${sql.csv(kinds)} from (${sql.join(" union all ", false)(some.map(one))}) as looked`
  const [row] = yield* compacted(sql, statement)
  for (const [at, name] of names.entries()) readings.set(name, readingOf(row?.[`r${at}`] ?? ""))
  return found
})
