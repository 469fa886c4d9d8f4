import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { merged } from "../../../languages/query/Merge.ts"
import { asksIndex, each, type FieldName, type Limits, type Query } from "../../../languages/query/Query.ts"
import { storable } from "../../../languages/query/StoredText.ts"
import { fieldNames } from "../../../languages/query/text/TextPattern.ts"
import { wordExpression } from "../../../languages/query/text/Words.ts"
import { anyValue, pathsOf, quoted } from "./JsonPath.ts"

const operators = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** Up to this many values are compared one by one in the path; for more, PostgreSQL uses a hash table. */
const compared = 20

const text = (value: string): string => JSON.stringify(storable(value))

/** A condition on documents: a predicate of a JSON path on the document `@`, or what no JSON path can express. */
type Condition = { readonly path: string } | { readonly fragment: Fragment }

/** Joined by halves: PostgreSQL reads a chain of operators recursively. */
const joined = (paths: ReadonlyArray<string>, operator: "&&" | "||"): string => {
  const middle = paths.length >> 1
  if (middle === 0) return paths[0] ?? ""
  return `(${joined(paths.slice(0, middle), operator)} ${operator} ${joined(paths.slice(middle), operator)})`
}

/** The column with the values of a field of `Fields`, and the path to each of them. */
const found = "found"
const foundPath = "$[*]"

/** Whether a condition that `Fields` makes takes little time, so that it is worth trying on all values first. */
const isCheap = (query: Query): boolean =>
  query._tag === "Bool"
    ? [...query.must, ...query.should].every(isCheap)
    : ["Equals", "Prefix", "Matches", "Numbers", "Texts"].includes(query._tag)

/** The query of `Fields` on all values of the document, which holds whenever it holds for one of the fields. */
const anywhere = (query: Query): Query => {
  if (query._tag === "Bool") return { ...query, must: query.must.map(anywhere), should: query.should.map(anywhere) }
  return "field" in query ? { ...query, field: "*" } : query
}

/**
 * The query as an SQL condition on `ts`, `id` and `doc` of documents of an index. Everything is a parameter: field names and conditions are in
 * JSON paths, values in their variables. As much as possible is one JSON path, because each one reads the document
 * anew.
 */
const where = (sql: SqlClient.SqlClient, query: Query, index: string): Fragment => {
  const known = new Map<string, string>()
  /** The variable for a value that is given as JSON. */
  const variable = (json: string): string => {
    const name = known.get(json) ?? `v${known.size}`
    known.set(json, name)
    return `$${name}`
  }
  const equals = (values: ReadonlyArray<string>): string =>
    joined(
      values.map((json) => `@ == ${variable(json)}`),
      "||"
    )
  const between = (limits: Limits, json: (limit: string) => string): string => {
    const given = Object.entries(operators).flatMap(([name, operator]) => {
      const limit = limits[name as keyof Limits]
      return limit === undefined ? [] : [`@ ${operator} ${variable(json(limit))}`]
    })
    return ['@.type() != "array"', ...given].join(" && ")
  }
  /** Only those variables that the path names: the others belong to other paths. */
  const variablesOf = (path: string): string => {
    const used = new Set(path.match(/\$v\d+/g))
    const members = [...known].filter(([, name]) => used.has(`$${name}`)).map(([json, name]) => `"${name}":${json}`)
    return `{${members.join(",")}}`
  }
  const exists = (json: Fragment, path: string): Fragment =>
    sql`coalesce(jsonb_path_exists(${json}, ${path}::jsonpath, ${variablesOf(path)}::jsonb, true), false)`
  const fragmentOf = (condition: Condition): Fragment =>
    "fragment" in condition ? condition.fragment : exists(sql`doc`, `$ ? (${condition.path})`)
  const combined = (conditions: ReadonlyArray<Condition>, operator: "&&" | "||"): Condition => {
    const paths = conditions.flatMap((one) => ("path" in one ? [one.path] : []))
    const fragments = conditions.flatMap((one) => ("fragment" in one ? [one.fragment] : []))
    const path = { path: joined(paths, operator) }
    if (fragments.length === 0) return path
    const all = paths.length === 0 ? fragments : [...fragments, fragmentOf(path)]
    return { fragment: operator === "&&" ? sql.and(all) : sql.or(all) }
  }
  const not = (condition: Condition): Condition =>
    "path" in condition ? { path: `!(${condition.path})` } : { fragment: sql`not (${condition.fragment})` }
  /** The values of a field that is not a member of the document, as JSON. */
  const valuesOf = (field: FieldName): Fragment | undefined => {
    if (field === each) return sql`${sql(found)}`
    if (field === "_id") return sql`to_jsonb(id)`
    return field === "_index" ? sql`to_jsonb(${index}::text)` : undefined
  }
  const path = (field: string, condition: string, open = false): Condition => {
    const values = valuesOf(field)
    return values === undefined
      ? { path: anyValue(field, condition, open) }
      : { fragment: exists(values, `${foundPath} ? (${condition})`) }
  }
  /** A condition on `value` that a JSON path cannot express. */
  const leaves = (field: string, condition: Fragment): Condition => {
    const values = valuesOf(field)
    const paths = values === undefined ? pathsOf(field).map((at) => `$${at.slice(1)}[*][*]`) : [foundPath]
    return {
      fragment: sql.or(
        paths.map(
          (at) =>
            sql`exists (select from jsonb_path_query(${values ?? sql`doc`}, ${at}::jsonpath, '{}', true) as value where ${condition})`
        )
      )
    }
  }
  /** Conditions of which the first takes much less time than the others. */
  const inTurn = (conditions: ReadonlyArray<Condition>): Condition => ({
    fragment: sql.and(conditions.map(fragmentOf))
  })
  const always: Condition = { fragment: sql`true` }
  const never: Condition = { fragment: sql`false` }
  const bool = ({ must, should, mustNot, minimum }: Extract<Query, { readonly _tag: "Bool" }>): Condition => {
    const conditions = must.map(compile)
    if (should.length < minimum) return never
    if (minimum === 1) conditions.push(combined(should.map(compile), "||"))
    else if (minimum > 1) {
      const counted = should.map((one) => sql`(${fragmentOf(compile(one))})::integer`)
      conditions.push({ fragment: sql`${sql.join(" + ", true)(counted)} >= ${minimum}` })
    }
    if (mustNot.length > 0) conditions.push(not(combined(mustNot.map(compile), "||")))
    return conditions.length === 0 ? always : combined(conditions, "&&")
  }
  const compile = (query: Query): Condition => {
    switch (query._tag) {
      case "All":
        return always
      case "None":
        return never
      case "Bool":
        return bool(query)
      case "Fields": {
        const values = sql`flow_fields(doc, ${fieldNames(query.pattern)}::text) as fields (${sql(found)})`
        const some = { fragment: sql`exists (select from ${values} where ${fragmentOf(compile(query.query))})` }
        return isCheap(query.query) ? inTurn([compile(anywhere(query.query)), some]) : some
      }
      case "Ids":
        return { fragment: sql`id = any(${query.ids.map(storable)}::text[])` }
      case "Exists":
        return path(query.field, '@.**.type() like_regex "^(string|number|boolean)$"')
      case "Equals": {
        const { texts, numbers, booleans } = query.values
        const values = [...texts.map(text), ...numbers, ...booleans.map(String)]
        return values.length <= compared
          ? path(query.field, equals(values))
          : leaves(query.field, sql`value = any(${values}::text[]::jsonb[])`)
      }
      case "Prefix":
        return path(query.field, `@ starts with ${variable(text(query.prefix))}`)
      case "Matches":
        return path(query.field, `@ like_regex ${quoted(query.pattern)} flag "s"`)
      case "Words": {
        const { field, patterns, slop } = query
        // Dividing a text into words takes much longer than finding out that it has none of them.
        const have = patterns.map((pattern) =>
          path(field, `@ like_regex ${quoted(pattern.replace(/^\^|\$$/g, ""))} flag "s"`)
        )
        const near = sql`flow_near(value, ${wordExpression}::text, ${patterns}::text[], ${slop}::integer)`
        return inTurn([combined(have, "&&"), leaves(field, near)])
      }
      case "Numbers":
        return path(
          query.field,
          between(query.limits, (limit) => limit),
          true
        )
      case "Texts":
        return path(query.field, between(query.limits, text), true)
      case "Dates": {
        if (query.field === "@timestamp")
          return { fragment: sql`(ts >= ${String(query.from)} and ts <= ${String(query.to)})` }
        const [from, to] = [String(query.from), String(query.to)]
        return leaves(query.field, sql`flow_instant(value) between ${from}::bigint and ${to}::bigint`)
      }
      case "Addresses": {
        const [from, to] = [query.ranges.map((range) => range.from), query.ranges.map((range) => range.to)]
        return leaves(
          query.field,
          sql`exists (
            select from (select flow_address(value) collate "C" as address offset 0) as one
            join unnest(${from}::text[], ${to}::text[]) as range (first, last) on address between first and last)`
        )
      }
    }
  }
  return fragmentOf(compile(merged(query)))
}

/** The condition of a query for the documents of an index: the same for all of them unless the query asks for theirs. */
export const conditionFor = (sql: SqlClient.SqlClient, query: Query): ((index: string) => Fragment) => {
  if (asksIndex(query)) return (index) => where(sql, query, index)
  const condition = where(sql, query, "")
  return () => condition
}
