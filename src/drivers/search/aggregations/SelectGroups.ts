import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { aggregationLimits } from "../../../languages/query/aggregation/Aggregation.ts"
import type { GroupRequest, Measure } from "../../../languages/query/aggregation/Grouping.ts"
import { isAlone } from "../../../languages/query/aggregation/Measures.ts"
import { latest } from "../../../languages/query/IndexedDocument.ts"
import { type Part, tableOf } from "../indices/Catalog.ts"
import { isOwn, maybeOther, type Readings } from "../reading/Readings.ts"
import { castAt, plainTextAt, rawAt, textAt } from "../statements/FieldValue.ts"
import { conditionFor } from "../statements/Where.ts"
import { elements, type KeyColumn, keyColumn, maybeLonger, scalars } from "./GroupKeys.ts"

/** A number that a double can hold. */
const bounded = (sql: SqlClient.SqlClient, value: string): Fragment => {
  const number = sql`(${sql.literal(value)})::numeric`
  return sql`case when ${number} = 0 or abs(${number}) between 1e-300 and 1e300 then ${number}::float8 end`
}

/** How a statement reads the documents. With `lists`, each value of a list counts. */
export interface ReadManner {
  readonly readings: Readings
  readonly lists: boolean
}

/** What one row of {@link selectGroups} has. Keys are null without groups, and in the row that only has `unsure`. */
export interface GroupRow {
  /** Whether a value is a list, or may be of another type than was assumed. */
  readonly unsure: boolean
  /** Whether the groups take more bytes than there is room. Then there are none. */
  readonly large: boolean
  readonly n: number | null
  readonly total: number | null
  readonly place: number | null
  readonly [column: string]: unknown
}

/** A request with what its statement needs of it. */
interface Plan extends GroupRequest, ReadManner {
  readonly columns: ReadonlyArray<KeyColumn>
  readonly keys: ReadonlyArray<Fragment>
  /** The fields of the measures. */
  readonly fields: ReadonlyArray<string>
  readonly alone: Measure | undefined
  /** How the values of a field are read: as numbers or texts, else as JSON. */
  readonly readAs: (field: string) => "numbers" | "texts" | "any"
}

const planOf = (sql: SqlClient.SqlClient, request: GroupRequest, { readings, lists }: ReadManner): Plan => {
  const alone = request.measures.find(isAlone)
  return {
    ...request,
    readings,
    lists,
    columns: request.by.map((by) => keyColumn(sql, by, readings)),
    keys: request.by.map((_, at) => sql.literal(`k${at}`)),
    fields: [...new Set(request.measures.map(({ field }) => field))],
    alone,
    readAs: (field) => {
      const reading = readings.of(field)
      const isNumbers = request.measures.every((measure) => measure.field !== field || measure.of !== "values")
      if (lists || (reading === "numbers" && !isNumbers)) return "any"
      if (reading === "texts") return alone?.of === "cardinality" ? "texts" : "any"
      return reading === "numbers" ? "numbers" : "any"
    }
  }
}

/**
 * The keys `k0`, `k1` and the values `x0`, `x1`, … of the fields of the documents. With `lists`, a document has a row for
 * each key that its lists have.
 */
const baseOf = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>, plan: Plan): Fragment => {
  const { query, columns, keys, fields, alone, within, lists, readAs, readings } = plan
  const isDifferent = alone?.of === "cardinality"
  const condition = conditionFor(sql, query)
  const valueIn = (field: string, index: string): Fragment => {
    const reading = readAs(field)
    if (reading === "texts") return sql`${textAt(sql, field, index)} collate "C"`
    if (reading === "any") return rawAt(sql, field, index)
    if (!readings.isKnown(field) || isOwn(field)) return castAt(sql, field, isDifferent ? "numeric" : "float8")
    const text = plainTextAt(sql, field)
    return isDifferent ? sql`${text} collate "C"` : sql`(${text})::float8`
  }
  // PostgreSQL would look a JSON value up again for each of its uses, and would sort whole documents by their keys.
  const isApart = fields.some((field) => readAs(field) === "any" || keys.length > 0)
  const once = sql.literal(isApart ? "offset 0" : "")
  const one = ({ part, index }: Part): Fragment => {
    const joins: Array<Fragment> = []
    const found = columns.map((column, at) => {
      const [name, value] = [keys[at]!, column.of(index)]
      if (!lists || !column.mayBeList) return sql`${value} as ${name}`
      joins.push(sql`cross join lateral (
        select distinct element as ${name} from ${elements(sql, value)} as elements (element)) as ${sql.literal(`by${at}`)}`)
      return name
    })
    const values = fields.map((field, at) => sql`${valueIn(field, index)} as ${sql.literal(`x${at}`)}`)
    return sql`
      select ${sql.csv([...found, ...values, ...(found.length + values.length === 0 ? [sql`1 as one`] : [])])} from ${sql(tableOf(part))} ${sql.join(" ", false)([sql``, ...joins])}
      where ${condition(index)} ${once}`
  }
  const all = sql.join(" union all ", false)(parts.map((part) => sql`(${one(part)})`))
  if (within === undefined) return sql`(${all}) as base`
  const width = within[0]?.length ?? 1
  const chosen = columns.slice(0, width).map((column, at) => column.list(within.map((path) => path[at]!)))
  const isChosen =
    width === 1
      ? sql`k0 = any(${chosen[0]!})`
      : sql`${sql`(${sql.csv(keys.slice(0, width))})`} in (select * from unnest(${sql.csv(chosen)}))`
  // A list may hold a key: without these rows the statement could not say that there are lists.
  const unsure = lists
    ? []
    : columns.flatMap((column, at) => (column.mayBeList ? [column.isUnsure(keys[at]!) ?? []] : []))
  return sql`(select * from (${all}) as every where ${sql.or([isChosen, ...unsure.flat()])}) as base`
}

/**
 * The groups of documents with their measures, at most one more than there may be. The statement says when it is unsure,
 * because of lists or of values of other types than were assumed. What has been read with `lists` is sure.
 */
export const selectGroups = (
  sql: SqlClient.SqlClient,
  parts: ReadonlyArray<Part>,
  request: GroupRequest,
  manner: ReadManner
) => {
  const plan = planOf(sql, request, manner)
  const { columns, keys, measures, lists, alone } = plan
  const typed = typedOf(sql, baseOf(sql, parts, plan), plan)
  const values = measures.map((measure, at) => sql`${valueOf(sql, measure, plan)} as ${sql.literal(`m${at}`)}`)
  const checks = measures.flatMap((measure) => checkOf(sql, measure, plan))
  const check = checks.length === 0 ? sql`false` : sql.or(checks)
  // The rows of these measures are values and no documents.
  const count = alone === undefined ? sql`count(*)` : sql`0`
  const grouping = keys.length === 0 ? sql`` : sql`group by ${sql.csv(keys)}`
  const isKey = columns.map((column, at) => column.isKey(keys[at]!))
  const unsure = lists ? [] : columns.flatMap((column, at) => column.isUnsure(keys[at]!) ?? [])
  const most = aggregationLimits.groups + 1
  const shown = keys.length === 0 ? sql`select *, n as total, 0 as place from grouped` : topOf(sql, plan, isKey, most)
  const out = columns.flatMap((column, at) => {
    const key = sql.literal(`found.k${at}`)
    return [sql`${column.type(key)} as ${sql.literal(`t${at}`)}`, sql`${column.text(key)} as ${sql.literal(`s${at}`)}`]
  })
  const results = measures.map((_, at) => sql.literal(`found.m${at}`))
  const { bytes, each } = request.room
  const long = columns.at(-1)?.text(sql.literal(`k${columns.length - 1}`)) ?? sql`''`
  return sql<GroupRow>`
    with typed as (${typed}),
    grouped as (
      select ${sql.csv([...keys, ...values, sql`${count}::float8 as n`, sql`coalesce(${check}, false) as listed`])}
      from typed ${grouping}),
    shown as (${shown})
    select flags.unsure, flags.large, ${sql.csv([...out, ...results, sql`found.n::float8 as n`, sql`found.total::float8 as total`, sql`found.place::float8 as place`])}
    from (select coalesce(bool_or(${sql.or([sql`listed`, ...unsure])}), false) as unsure, (
        select coalesce(sum(octet_length(${long}) + ${each}::integer), 0) > ${bytes}::bigint from shown) as large
      from grouped) as flags
    left join shown as found on not flags.large`
}

/** The rows with their values as numbers `v0`, …; of lists their count `c0`, sum `s0`, least `l0` and largest `h0`. */
const typedOf = (sql: SqlClient.SqlClient, from: Fragment, plan: Plan): Fragment => {
  const { keys, fields, measures, lists, alone, readAs } = plan
  if (alone?.of === "cardinality") {
    // Each value once: hashing them takes much less time than sorting.
    const values = lists ? sql` cross join lateral ${elements(sql, sql`x0`)} as elements (element)` : sql``
    const found = sql`select ${sql.csv([...keys, sql`${lists ? sql`element` : sql`x0`} as d0`])} from ${from}${values}`
    return sql`select ${sql.csv([...keys, sql`d0`])} from (${found}) as found
      group by ${sql.csv([...keys, sql`d0`])}`
  }
  const joins: Array<Fragment> = []
  const columns = fields.flatMap((field, at) => {
    const needed = measures.some((measure) => measure.field === field && measure.of !== "values")
    const [x, v] = [sql.literal(`x${at}`), sql.literal(`v${at}`)]
    if (!needed) return []
    if (readAs(field) === "numbers") return [sql`${x} as ${v}`]
    if (!lists) {
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
  const all = [...keys, ...fields.map((_, at) => sql.literal(`x${at}`)), ...columns]
  const isRepeated = measures.length > fields.length
  const once = sql.literal(isRepeated || fields.some((field) => readAs(field) === "any") ? "offset 0" : "")
  if (all.length === 0) return sql`select one from ${from}`
  return sql`select ${sql.csv(all)} from ${from} ${sql.join(" ", false)([sql``, ...joins])} ${once}`
}

/** The value of a measure of the column of its field. */
const valueOf = (sql: SqlClient.SqlClient, { of, field, percents = [] }: Measure, plan: Plan): Fragment => {
  const at = plan.fields.indexOf(field)
  const careful = plan.lists
  const name = (letter: string) => sql.literal(`${letter}${at}`)
  switch (of) {
    case "values": {
      const x = name("x")
      return sql`sum(case jsonb_typeof(${x}) when 'string' then 1 when 'number' then 1 when 'boolean' then 1 when 'array' then (
        select count(*) from jsonb_array_elements(${x}) as elements (element)
        where jsonb_typeof(element) = any(${scalars}::text[])) else 0 end)::float8`
    }
    case "cardinality":
      return plan.readAs(field) === "any"
        ? sql`(count(*) filter (where jsonb_typeof(d0) = any(${scalars}::text[])))::float8`
        : sql`count(d0)::float8`
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
const checkOf = (sql: SqlClient.SqlClient, { of, field }: Measure, plan: Plan): ReadonlyArray<Fragment> => {
  const reading = plan.readAs(field)
  const isKnown = plan.readings.isKnown(field)
  if (plan.lists || of === "values") return []
  if (reading === "numbers") {
    const isText = of === "cardinality" && isKnown && !isOwn(field)
    return isText ? [sql`bool_or(${maybeLonger(sql, sql`d0`)})`] : []
  }
  if (reading === "texts") return isKnown ? [] : [sql`bool_or(${maybeOther(sql, sql`d0`)})`]
  if (of === "cardinality") return [sql`bool_or(jsonb_typeof(d0) = 'array')`]
  return [sql`max(${sql.literal(`v${plan.fields.indexOf(field)}`)}) = 'NaN'`]
}

/** The groups with a key; of the last key, for each one before it, as many as are asked for. */
const topOf = (
  sql: SqlClient.SqlClient,
  { columns, keys, top }: Plan,
  isKey: ReadonlyArray<Fragment>,
  most: number
): Fragment => {
  const keyed = sql.and(isKey)
  if (top === undefined) return sql`select *, n as total, 0 as place from grouped where ${keyed} limit ${most}::bigint`
  const [key, column] = [keys.at(-1)!, columns.at(-1)!]
  const way = sql.literal(top.descending ? "desc nulls last" : "asc nulls last")
  const first =
    top.by === "key"
      ? column.order(key, top.descending)
      : [sql`${sql.literal(top.by === "count" ? "n" : `m${top.by}`)} ${way}`]
  const order = sql.csv([...first, ...column.order(key, false)])
  const least = sql`n >= ${top.least}::float8`
  if (keys.length === 1) {
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
