import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Limits, Query, Values } from "../../languages/query/Query.ts"
import { storable } from "../../languages/query/StoredText.ts"
import { anyValue, pathsOf, quoted } from "./JsonPath.ts"

const operators = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const

/** Variables of a JSON path by name. Values are JSON text, so numbers keep all their digits. */
type Variables = ReadonlyArray<readonly [name: string, json: string]>

/** Up to this many values are compared one by one in the path; for more, PostgreSQL uses a hash table. */
const compared = 20

const text = (value: string): string => JSON.stringify(storable(value))

const equals = ({ texts, numbers, booleans }: Values): readonly [condition: string, variables: Variables] => {
  const values = [...texts.map(text), ...numbers, ...booleans.map(String)]
  const variables = values.map((json, index) => [`v${index}`, json] as const)
  return [variables.map(([name]) => `@ == $${name}`).join(" || "), variables]
}

const between = (
  limits: Limits,
  json: (limit: string) => string
): readonly [condition: string, variables: Variables] => {
  const given = Object.entries(operators).flatMap(([name, operator]) => {
    const limit = limits[name as keyof Limits]
    return limit === undefined ? [] : [[name, operator, json(limit)] as const]
  })
  return [
    ['@.type() != "array"', ...given.map(([name, operator]) => `@ ${operator} $${name}`)].join(" && "),
    given.map(([name, , limit]) => [name, limit] as const)
  ]
}

/**
 * The query as an SQL condition on `ts`, `id` and `doc`. Everything is a parameter: field names and conditions are in
 * JSON paths, values in their variables.
 */
export const where = (sql: SqlClient.SqlClient, query: Query): Fragment => {
  const path = (field: string, [condition, variables]: readonly [string, Variables], open = false): Fragment => {
    const json = `{${variables.map(([name, value]) => `"${name}":${value}`).join(",")}}`
    return sql`coalesce(jsonb_path_exists(doc, ${anyValue(field, condition, open)}::jsonpath, ${json}::jsonb, true), false)`
  }
  /** A condition on `value` that a JSON path cannot express. */
  const leaves = (field: string, condition: Fragment): Fragment =>
    sql.or(
      pathsOf(field).map((at) => {
        const all = `$${at.slice(1)}[*][*]`
        return sql`exists (select from jsonb_path_query(doc, ${all}::jsonpath, '{}', true) as value where ${condition})`
      })
    )
  const compile = (query: Query): Fragment => {
    switch (query._tag) {
      case "All":
        return sql`true`
      case "None":
        return sql`false`
      case "Bool": {
        const conditions = query.must.map(compile)
        if (query.minimum === 1)
          conditions.push(query.should.length === 0 ? sql`false` : sql.or(query.should.map(compile)))
        else if (query.minimum > 0) {
          const counted = query.should.map((one) => sql`(${compile(one)})::integer`)
          conditions.push(
            counted.length < query.minimum ? sql`false` : sql`${sql.join(" + ", true)(counted)} >= ${query.minimum}`
          )
        }
        if (query.mustNot.length > 0) conditions.push(sql`not (${sql.or(query.mustNot.map(compile))})`)
        return conditions.length === 0 ? sql`true` : sql.and(conditions)
      }
      case "Ids":
        return sql`id = any(${query.ids.map(storable)}::text[])`
      case "Exists":
        return path(query.field, ['@.**.type() like_regex "^(string|number|boolean)$"', []])
      case "Equals": {
        const { texts, numbers, booleans } = query.values
        if (texts.length + numbers.length + booleans.length <= compared) return path(query.field, equals(query.values))
        const values = [...texts.map(text), ...numbers, ...booleans.map(String)]
        return leaves(query.field, sql`value = any(${values}::text[]::jsonb[])`)
      }
      case "Prefix":
        return path(query.field, ["@ starts with $v", [["v", text(query.prefix)]]])
      case "Matches":
        return path(query.field, [`@ like_regex ${quoted(query.pattern)} flag "s"`, []])
      case "Numbers":
        return path(
          query.field,
          between(query.limits, (limit) => limit),
          true
        )
      case "Texts":
        return path(query.field, between(query.limits, text), true)
      case "Dates": {
        if (query.field === "@timestamp") return sql`(ts >= ${String(query.from)} and ts <= ${String(query.to)})`
        const [from, to] = [String(query.from), String(query.to)]
        return leaves(query.field, sql`flow_instant(value) between ${from}::bigint and ${to}::bigint`)
      }
    }
  }
  return compile(query)
}
