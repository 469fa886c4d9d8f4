import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { aggregationLimits, type TermKey } from "../../../languages/query/aggregation/Aggregation.ts"
import type { GroupBy, GroupKey } from "../../../languages/query/aggregation/Grouping.ts"
import { latest } from "../../../languages/query/IndexedDocument.ts"
import { original, storable } from "../../../languages/query/StoredText.ts"
import { isOwn, maybeOther, type Readings } from "../reading/Readings.ts"
import { castAt, plainTextAt, rawAt, textAt } from "../statements/FieldValue.ts"

/** Types of JSON that are values. */
export const scalars = ["string", "number", "boolean"]

/** The elements of a list, or the value itself. */
export const elements = (sql: SqlClient.SqlClient, value: Fragment): Fragment =>
  sql`jsonb_array_elements(case jsonb_typeof(${value}) when 'array' then ${value} else jsonb_build_array(${value}) end)`

/** A column by which documents are grouped. `k` is the name of a column with its values. */
export interface KeyColumn {
  /** Its value in a document of an index. */
  readonly of: (index: string) => Fragment
  /** Whether a value may be a list, each of whose values is a key. */
  readonly mayBeList: boolean
  readonly isKey: (k: Fragment) => Fragment
  /** Whether a value may be another one than it looks, or a list. */
  readonly isUnsure: (k: Fragment) => Fragment | undefined
  readonly order: (k: Fragment, descending: boolean) => ReadonlyArray<Fragment>
  readonly type: (k: Fragment) => Fragment
  readonly text: (k: Fragment) => Fragment
  /** Keys as a list of values of the column. */
  readonly list: (keys: ReadonlyArray<GroupKey>) => Fragment
}

const jsonOf = (key: GroupKey): string => {
  if (typeof key === "number") return String(key)
  switch (key._tag) {
    case "text":
      return JSON.stringify(storable(key.text))
    case "number":
      return key.digits
    case "boolean":
      return String(key.value)
  }
}

const textOf = (key: GroupKey): string =>
  typeof key === "object" && key._tag === "text" ? storable(key.text) : jsonOf(key)

const hasTag = (key: GroupKey, tag: TermKey["_tag"]): boolean => typeof key === "object" && key._tag === tag

const wayOf = (sql: SqlClient.SqlClient, descending: boolean) =>
  sql.literal(descending ? "desc nulls last" : "asc nulls last")

const dates = (sql: SqlClient.SqlClient, by: Extract<GroupBy, { _tag: "dates" }>): KeyColumn => {
  // One list for all parts, so that a statement has it once: see `compact`.
  const starts = by.starts.map(String)
  return {
    of: (index) => {
      const time =
        by.field === "@timestamp"
          ? sql`case when ts < ${latest}::bigint then ts end`
          : sql`flow_instant(${rawAt(sql, by.field, index)})`
      return sql`nullif(width_bucket(${time}, ${starts}::text[]::bigint[]), 0)`
    },
    mayBeList: false,
    isKey: (k) => sql`${k} is not null`,
    isUnsure: () => undefined,
    order: (k, descending) => [sql`${k} ${wayOf(sql, descending)}`],
    type: () => sql`'time'`,
    text: (k) => sql`${k}::text`,
    list: (keys) => sql`${keys.map((key) => String(Number(key) + 1))}::text[]::integer[]`
  }
}

type Terms = Extract<GroupBy, { _tag: "terms" }>

const texts = (sql: SqlClient.SqlClient, { field, missing }: Terms, isKnown: boolean): KeyColumn => ({
  of: (index) => {
    const text = textAt(sql, field, index)
    return sql`(${missing === undefined ? text : sql`coalesce(${text}, ${textOf(missing)}::text)`}) collate "C"`
  },
  mayBeList: false,
  isKey: (k) => sql`length(${k}) <= ${aggregationLimits.term}::integer`,
  isUnsure: (k) => (isKnown ? undefined : maybeOther(sql, k)),
  order: (k, descending) => [sql`${k} ${wayOf(sql, descending)}`],
  type: () => sql`'string'`,
  text: (k) => k,
  list: (keys) => sql`${keys.map(textOf)}::text[]`
})

const numbers = (sql: SqlClient.SqlClient, { field, missing }: Terms): KeyColumn => ({
  of: () => {
    const number = castAt(sql, field, "numeric")
    return missing === undefined ? number : sql`coalesce(${number}, ${textOf(missing)}::text::numeric)`
  },
  mayBeList: false,
  isKey: (k) => sql`length(${k}::text) <= ${aggregationLimits.term}::integer`,
  isUnsure: () => undefined,
  order: (k, descending) => [sql`${k} ${wayOf(sql, descending)}`],
  type: () => sql`'number'`,
  text: (k) => sql`trim_scale(${k})::text`,
  list: (keys) => sql`${keys.map((key) => (hasTag(key, "number") ? textOf(key) : null))}::text[]::numeric[]`
})

/** Whether equal numbers may have other texts than this one of a number: PostgreSQL keeps zeros at its end. */
export const maybeLonger = (sql: SqlClient.SqlClient, text: Fragment): Fragment =>
  sql`(right(${text}, 1) = '0' and position('.' in ${text}) > 0)`

/** Values that are known to be numbers, or booleans: their texts take less time. */
const known = (sql: SqlClient.SqlClient, { field, missing }: Terms, type: "number" | "boolean"): KeyColumn => ({
  of: () => {
    const text = plainTextAt(sql, field)
    return sql`(${missing === undefined ? text : sql`coalesce(${text}, ${textOf(missing)}::text)`}) collate "C"`
  },
  mayBeList: false,
  isKey: (k) => sql`length(${k}) <= ${aggregationLimits.term}::integer`,
  isUnsure: (k) => (type === "number" ? maybeLonger(sql, k) : undefined),
  order: (k, descending) => [sql`${k}${sql.literal(type === "number" ? "::numeric" : "")} ${wayOf(sql, descending)}`],
  type: () => sql.literal(`'${type}'`),
  text: (k) => k,
  list: (keys) => sql`${keys.map((key) => (hasTag(key, type) ? textOf(key) : null))}::text[]`
})

const booleans = (sql: SqlClient.SqlClient, { field, missing }: Terms): KeyColumn => ({
  of: () => {
    const value = castAt(sql, field, "boolean")
    return missing === undefined ? value : sql`coalesce(${value}, ${textOf(missing)}::text::boolean)`
  },
  mayBeList: false,
  isKey: (k) => sql`${k} is not null`,
  isUnsure: () => undefined,
  order: (k, descending) => [sql`${k} ${wayOf(sql, descending)}`],
  type: () => sql`'boolean'`,
  text: (k) => sql`${k}::text`,
  list: (keys) => sql`${keys.map((key) => (hasTag(key, "boolean") ? textOf(key) : null))}::text[]::boolean[]`
})

const values = (sql: SqlClient.SqlClient, { field, missing }: Terms): KeyColumn => ({
  of: (index) => {
    const value = rawAt(sql, field, index)
    return missing === undefined ? value : sql`coalesce(nullif(${value}, 'null'::jsonb), ${jsonOf(missing)}::jsonb)`
  },
  mayBeList: true,
  isKey: (k) => sql`(jsonb_typeof(${k}) = any(${scalars}::text[])
    and pg_column_size(${k}) <= ${aggregationLimits.term * 4 + 64}::integer
    and length(${k} #>> '{}') <= ${aggregationLimits.term}::integer)`,
  isUnsure: (k) => sql`jsonb_typeof(${k}) = 'array'`,
  // Numbers, then texts by code points, then booleans.
  order: (k, descending) => {
    const [way, text] = [wayOf(sql, descending), sql`${k} #>> '{}'`]
    const of = (type: string) => sql`jsonb_typeof(${k}) = ${sql.literal(`'${type}'`)}`
    return [
      sql`case when ${of("number")} then (${text})::numeric end ${way}`,
      sql`case when ${of("string")} then ${text} end collate "C" ${way}`,
      sql`case when ${of("boolean")} then ${text} end ${way}`
    ]
  },
  type: (k) => sql`jsonb_typeof(${k})`,
  text: (k) => sql`case jsonb_typeof(${k}) when 'number' then trim_scale((${k} #>> '{}')::numeric)::text
    else ${k} #>> '{}' end`,
  list: (keys) => sql`${keys.map(jsonOf)}::text[]::jsonb[]`
})

const fits = (missing: TermKey | undefined, tag: TermKey["_tag"]) => missing === undefined || missing._tag === tag

/** How documents are grouped by a field that is read in this way. */
export const keyColumn = (sql: SqlClient.SqlClient, by: GroupBy, readings: Readings): KeyColumn => {
  if (by._tag === "dates") return dates(sql, by)
  const [reading, isKnown] = [readings.of(by.field), readings.isKnown(by.field)]
  if (reading === "texts" && fits(by.missing, "text")) return texts(sql, by, isKnown)
  if (isKnown && !isOwn(by.field) && reading === "numbers" && fits(by.missing, "number"))
    return known(sql, by, "number")
  if (isKnown && reading === "booleans" && fits(by.missing, "boolean")) return known(sql, by, "boolean")
  if (reading === "numbers" && fits(by.missing, "number")) return numbers(sql, by)
  if (reading === "booleans" && fits(by.missing, "boolean")) return booleans(sql, by)
  return values(sql, by)
}

/** The key of a row: its type and its text. */
export const keyOf = (type: unknown, text: string): GroupKey => {
  if (type === "time") return Number(text) - 1
  if (type === "number") return { _tag: "number", digits: text }
  return type === "boolean" ? { _tag: "boolean", value: text === "true" } : { _tag: "text", text: original(text) }
}
