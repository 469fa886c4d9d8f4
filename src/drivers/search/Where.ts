import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { merged } from "../../languages/query/Merge.ts"
import type { Limits, Query } from "../../languages/query/Query.ts"
import { storable } from "../../languages/query/StoredText.ts"
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

/**
 * The query as an SQL condition on `ts`, `id` and `doc`. Everything is a parameter: field names and conditions are in
 * JSON paths, values in their variables. As much as possible is one JSON path, because each one reads the document
 * anew.
 */
export const where = (sql: SqlClient.SqlClient, query: Query): Fragment => {
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
  const fragmentOf = (condition: Condition): Fragment =>
    "fragment" in condition
      ? condition.fragment
      : sql`coalesce(jsonb_path_exists(
          doc, ${`$ ? (${condition.path})`}::jsonpath, ${variablesOf(condition.path)}::jsonb, true), false)`
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
  const path = (field: string, condition: string, open = false): Condition => ({
    path: anyValue(field, condition, open)
  })
  /** A condition on `value` that a JSON path cannot express. */
  const leaves = (field: string, condition: Fragment): Condition => ({
    fragment: sql.or(
      pathsOf(field).map((at) => {
        const all = `$${at.slice(1)}[*][*]`
        return sql`exists (select from jsonb_path_query(doc, ${all}::jsonpath, '{}', true) as value where ${condition})`
      })
    )
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
    }
  }
  return fragmentOf(compile(merged(query)))
}
