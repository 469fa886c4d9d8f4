import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { aggregationLimits, type TermKey } from "../../languages/query/aggregation/Aggregation.ts"
import type { GroupBy, GroupRequest, Measure } from "../../languages/query/aggregation/Grouping.ts"
import { latest } from "../../languages/query/IndexedDocument.ts"
import { storable } from "../../languages/query/StoredText.ts"
import { type Part, tableOf } from "./Catalog.ts"
import { rawAt } from "./FieldValue.ts"
import { conditionFor } from "./Where.ts"

const jsonOf = (key: TermKey): string => {
  switch (key._tag) {
    case "text":
      return JSON.stringify(storable(key.text))
    case "number":
      return key.digits
    case "boolean":
      return String(key.value)
  }
}

/** The elements of a list, or the value itself. */
const elements = (sql: SqlClient.SqlClient, value: Fragment): Fragment =>
  sql`jsonb_array_elements(case jsonb_typeof(${value}) when 'array' then ${value} else jsonb_build_array(${value}) end)`

/** A number that a double can hold. */
const bounded = (sql: SqlClient.SqlClient, value: string): Fragment => {
  const number = sql`(${sql.literal(value)})::numeric`
  return sql`case when ${number} = 0 or abs(${number}) between 1e-300 and 1e300 then ${number}::float8 end`
}

interface Base {
  /** The keys, the values of fields, and their names. */
  readonly from: Fragment
  readonly fields: ReadonlyArray<string>
}

/**
 * The keys `k0`, `k1` and the values `x0`, `x1`, … of the fields of the documents. With `lists`, a document has a row for
 * each key that its lists have.
 */
const baseOf = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  { query, by, measures, within }: Omit<GroupRequest, "top">,
  lists: boolean
): Base => {
  const condition = conditionFor(sql, query)
  const fields = [...new Set(measures.map(({ field }) => field))]
  const one = ({ part, index }: Part): Fragment => {
    const joins: Array<Fragment> = []
    const columns = by.map((group, at) => {
      const name = sql.literal(`k${at}`)
      const key = keyOf(sql, group)
      if (!lists || group._tag === "dates") return sql`${key(rawAt(sql, group.field, index))} as ${name}`
      const values = elements(sql, key(rawAt(sql, group.field, index)))
      joins.push(sql`cross join lateral (
        select distinct element as ${name} from ${values} as elements (element)) as ${sql.literal(`by${at}`)}`)
      return sql`${name}`
    })
    const values = fields.map((field, at) => sql`${rawAt(sql, field, index)} as ${sql.literal(`x${at}`)}`)
    return sql`
      select ${sql.csv([...columns, ...values, sql`1 as one`])} from ${sql(tableOf(part))} ${sql.join(" ", false)([sql``, ...joins])}
      where ${condition(index)} offset 0`
  }
  const all = sql.join(" union all ", false)(parts.map((part) => sql`(${one(part)})`))
  if (within === undefined) return { from: sql`(${all}) as base`, fields }
  const keys = within.flatMap((key) => (typeof key === "number" ? [] : [jsonOf(key)]))
  // A list may hold a key: without these rows the statement could not say that there are lists.
  const orList = lists ? sql`` : sql`or jsonb_typeof(k0) = 'array'`
  const chosen = sql`k0 = any(${keys}::text[]::jsonb[]) ${orList}`
  return { from: sql`(select * from (${all}) as every where ${chosen}) as base`, fields }
}

/** The key of a value. */
const keyOf =
  (sql: SqlClient.SqlClient, by: GroupBy) =>
  (value: Fragment): Fragment => {
    if (by._tag === "terms") {
      return by.missing === undefined
        ? value
        : sql`coalesce(nullif(${value}, 'null'::jsonb), ${jsonOf(by.missing)}::jsonb)`
    }
    const time =
      by.field === "@timestamp" ? sql`case when ts < ${latest}::bigint then ts end` : sql`flow_instant(${value})`
    return sql`nullif(width_bucket(${time}, ${by.starts.map(String)}::text[]::bigint[]), 0)`
  }

/** What one row of {@link selectGroups} has. Keys are null without groups, and in the row that only has `lists`. */
export interface GroupRow {
  /** Whether a value is a list or too large, so that `careful` must be asked. */
  readonly lists: boolean
  readonly n: number | null
  readonly total: number | null
  readonly place: number | null
  readonly [column: string]: unknown
}

const scalars = ["string", "number", "boolean"]

/**
 * The groups of documents with their measures, at most one more than there may be. The statement is quick for documents
 * whose values are no lists; where there are some it says so, and `careful` gives the groups.
 */
export const selectGroups = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  request: GroupRequest,
  careful: boolean
) => {
  const { by, measures, top } = request
  const { from, fields } = baseOf(sql, parts, request, careful)
  const keys = by.map((_, at) => sql.literal(`k${at}`))
  const column = (measure: Measure) => fields.indexOf(measure.field)
  const alone = measures.find(({ of }) => of === "cardinality" || of === "percentiles")
  const typed = typedOf(sql, { from, fields }, request, careful, alone)
  const values = measures.map(
    (measure, at) => sql`${valueOf(sql, measure, column(measure), careful)} as ${sql.literal(`m${at}`)}`
  )
  const checks = careful ? [] : measures.flatMap((measure) => checkOf(sql, measure, column(measure)))
  const check = checks.length === 0 ? sql`false` : sql.or(checks)
  const count = alone?.of === "cardinality" ? sql`sum(one)` : sql`count(*)`
  const grouping = keys.length === 0 ? sql`` : sql`group by ${sql.csv(keys)}`
  const isKey = by.map(({ _tag }, at) => {
    const key = sql.literal(`k${at}`)
    return _tag === "dates"
      ? sql`${key} is not null`
      : sql`(jsonb_typeof(${key}) = any(${scalars}::text[]) and pg_column_size(${key}) <= ${aggregationLimits.term * 4 + 64}::integer
          and length(${key} #>> '{}') <= ${aggregationLimits.term}::integer)`
  })
  const isList = by.map(({ _tag }, at) =>
    _tag === "terms" && !careful ? sql`jsonb_typeof(${sql.literal(`k${at}`)}) = 'array'` : sql`false`
  )
  const most = aggregationLimits.groups + 1
  const shown =
    keys.length === 0 ? sql`select *, n as total, 0 as place from grouped` : topOf(sql, by, isKey, top, most)
  const out = by.flatMap(({ _tag }, at) => keyColumns(sql, _tag, at))
  const results = measures.map((_, at) => sql.literal(`found.m${at}`))
  return sql<GroupRow>`
    with typed as (${typed}),
    grouped as (
      select ${sql.csv([...keys, ...values, sql`${count}::float8 as n`, sql`coalesce(${check}, false) as listed`])}
      from typed ${grouping})
    select flags.lists, ${sql.csv([...out, ...results, sql`found.n::float8 as n`, sql`found.total::float8 as total`, sql`found.place::float8 as place`])}
    from (select coalesce(bool_or(${sql.or([sql`listed`, ...isList])}), false) as lists from grouped) as flags
    left join (${shown}) as found on true`
}

/** The rows with their values as numbers `v0`, …; of lists their count `c0`, sum `s0`, least `l0` and largest `h0`. */
const typedOf = (
  sql: SqlClient.SqlClient,
  { from, fields }: Base,
  { by, measures }: GroupRequest,
  careful: boolean,
  alone: Measure | undefined
): Fragment => {
  const keys = by.map((_, at) => sql.literal(`k${at}`))
  if (alone?.of === "cardinality") {
    // Each value once: hashing them takes much less time than sorting.
    const values = careful ? sql` cross join lateral ${elements(sql, sql`x0`)} as elements (element)` : sql``
    const found = sql`select ${sql.csv([...keys, sql`${careful ? sql`element` : sql`x0`} as d0`])} from ${from}${values}`
    return sql`select ${sql.csv([...keys, sql`d0`, sql`count(*) as one`])} from (${found}) as found
      group by ${sql.csv([...keys, sql`d0`])}`
  }
  const joins: Array<Fragment> = []
  const columns = fields.flatMap((field, at) => {
    const needed = measures.some((measure) => measure.field === field && measure.of !== "values")
    const [x, v] = [sql.literal(`x${at}`), sql.literal(`v${at}`)]
    if (!needed) return []
    if (!careful) {
      return [sql`case jsonb_typeof(${x}) when 'number' then ${x}::float8 when 'array' then 'NaN'::float8 end as ${v}`]
    }
    const number = sql`case when jsonb_typeof(element) = 'number' then ${bounded(sql, "element")} end`
    const numbers = sql`select ${number} as number from ${elements(sql, sql`${x}`)} as elements (element)`
    const of = sql.literal(`list${at}`)
    if (alone !== undefined) {
      joins.push(sql`cross join lateral (${numbers}) as ${of}`)
      return [sql`number as ${v}`]
    }
    joins.push(sql`cross join lateral (
      select count(number) as c, sum(number) as s, min(number) as l, max(number) as h from (${numbers}) as numbers) as ${of}`)
    return ["c", "s", "l", "h"].map((name) => sql.literal(`list${at}.${name} as ${name}${at}`))
  })
  const all = [...keys, ...fields.map((_, at) => sql.literal(`x${at}`)), ...columns, sql`one`]
  return sql`select ${sql.csv(all)} from ${from} ${sql.join(" ", false)([sql``, ...joins])} offset 0`
}

/** The value of a measure of the column of its field. */
const valueOf = (sql: SqlClient.SqlClient, { of, percents = [] }: Measure, at: number, careful: boolean): Fragment => {
  const name = (letter: string) => sql.literal(`${letter}${at}`)
  switch (of) {
    case "values": {
      const x = name("x")
      return sql`sum(case jsonb_typeof(${x}) when 'string' then 1 when 'number' then 1 when 'boolean' then 1 when 'array' then (
        select count(*) from jsonb_array_elements(${x}) as elements (element)
        where jsonb_typeof(element) = any(${scalars}::text[])) else 0 end)::float8`
    }
    case "cardinality":
      return sql`(count(*) filter (where jsonb_typeof(d0) = any(${scalars}::text[])))::float8`
    case "percentiles": {
      const fractions = percents.map((percent) => String(percent / 100))
      return sql`percentile_cont(${fractions}::text[]::float8[]) within group (order by ${name("v")})`
    }
    case "avg":
      return careful ? sql`sum(${name("s")}) / nullif(sum(${name("c")}), 0)::float8` : sql`avg(${name("v")})`
    case "count":
      return careful ? sql`sum(${name("c")})::float8` : sql`count(${name("v")})::float8`
    case "sum":
      return sql`sum(${name(careful ? "s" : "v")})`
    case "min":
      return sql`min(${name(careful ? "l" : "v")})`
    case "max":
      return sql`max(${name(careful ? "h" : "v")})`
  }
}

/** Whether a group has a list, which is no number: it is the largest of all. */
const checkOf = (sql: SqlClient.SqlClient, { of }: Measure, at: number): ReadonlyArray<Fragment> => {
  if (of === "values") return []
  if (of === "cardinality") return [sql`bool_or(jsonb_typeof(d0) = 'array')`]
  return [sql`max(${sql.literal(`v${at}`)}) = 'NaN'`]
}

/** Terms in order: numbers, then texts by code points, then booleans. */
const inKeyOrder = (sql: SqlClient.SqlClient, key: string, descending: boolean): ReadonlyArray<Fragment> => {
  const way = sql.literal(descending ? "desc nulls last" : "asc nulls last")
  const text = sql.literal(`${key} #>> '{}'`)
  const of = (type: string) => sql`jsonb_typeof(${sql.literal(key)}) = ${sql.literal(`'${type}'`)}`
  return [
    sql`case when ${of("number")} then (${text})::numeric end ${way}`,
    sql`case when ${of("string")} then ${text} end collate "C" ${way}`,
    sql`case when ${of("boolean")} then ${text} end ${way}`
  ]
}

/** The groups with a key; of the last key, for each one before it, as many as are asked for. */
const topOf = (
  sql: SqlClient.SqlClient,
  by: ReadonlyArray<GroupBy>,
  isKey: ReadonlyArray<Fragment>,
  top: GroupRequest["top"],
  most: number
): Fragment => {
  const keyed = sql.and(isKey)
  if (top === undefined) return sql`select *, n as total, 0 as place from grouped where ${keyed} limit ${most}::bigint`
  const key = `k${by.length - 1}`
  const way = sql.literal(top.descending ? "desc nulls last" : "asc nulls last")
  const first =
    top.by === "key"
      ? inKeyOrder(sql, key, top.descending)
      : [sql`${sql.literal(top.by === "count" ? "n" : `m${top.by}`)} ${way}`]
  const order = sql.csv([...first, ...inKeyOrder(sql, key, false)])
  const least = sql`n >= ${top.least}::float8`
  if (by.length === 1) {
    return sql`
      select *, (select sum(n) from grouped where ${keyed}) as total, row_number() over () as place
      from (select * from grouped where ${keyed} and ${least} order by ${order} limit ${top.size}::bigint) as ordered`
  }
  return sql`
    select * from (
      select *, row_number() over (partition by k0 order by ${order}) as place
      from (select *, sum(n) over (partition by k0) as total from grouped where ${keyed}) as totalled where ${least}
    ) as ordered where place <= ${top.size}::bigint limit ${most}::bigint`
}

const keyColumns = (sql: SqlClient.SqlClient, tag: GroupBy["_tag"], at: number): ReadonlyArray<Fragment> => {
  const key = sql.literal(`found.k${at}`)
  const [type, text] = [sql.literal(`t${at}`), sql.literal(`s${at}`)]
  return tag === "dates"
    ? [sql`'time' as ${type}`, sql`${key}::text as ${text}`]
    : [
        sql`jsonb_typeof(${key}) as ${type}`,
        sql`case jsonb_typeof(${key}) when 'number' then trim_scale((${key} #>> '{}')::numeric)::text
          else ${key} #>> '{}' end as ${text}`
      ]
}

/** The times between which the dates of a field lie: for `@timestamp` those of all documents, which an index knows. */
export const selectTimes = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  query: GroupRequest["query"],
  field: string
) => {
  const condition = conditionFor(sql, query)
  const one = ({ part, index }: Part) =>
    field === "@timestamp"
      ? sql`(select min(ts) as first, max(ts) as last from ${sql(tableOf(part))} where ts < ${latest}::bigint)`
      : sql`(select min(time) as first, max(time) as last from (
          select flow_instant(${rawAt(sql, field, index)}) as time from ${sql(tableOf(part))} where ${condition(index)}) as times)`
  return sql<{ first: number | null; last: number | null }>`
    select min(first)::float8 as first, max(last)::float8 as last
    from (${sql.join(" union all ", false)(parts.map(one))}) as times`
}
