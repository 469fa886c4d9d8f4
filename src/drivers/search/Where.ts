import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { asksIndex, each, type FieldName, type Limits, type Query, type Values } from "../../languages/query/Query.ts"
import { storable } from "../../languages/query/StoredText.ts"
import { fieldNames } from "../../languages/query/text/TextPattern.ts"
import { wordExpression } from "../../languages/query/text/Words.ts"
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

/** The values of a field of `Fields`, and the path to each of them. */
const found = "found"
const foundPath = "$[*]"

/** Whether a condition that `Fields` makes takes little time, so that it is worth trying on all values first. */
const isCheap = (query: Query): boolean =>
  query._tag === "Bool"
    ? [...query.must, ...query.should].every(isCheap)
    : ["Equals", "Prefix", "Matches", "Numbers", "Texts"].includes(query._tag)

/**
 * The query as an SQL condition on `ts`, `id` and `doc` of documents of an index. Everything is a parameter: field names
 * and conditions are in JSON paths, values in their variables.
 */
const compiled = (sql: SqlClient.SqlClient, query: Query, index: string): Fragment => {
  /** The values of a field that is not a member of the document, as JSON. */
  const valuesOf = (field: FieldName): Fragment | undefined =>
    field === each
      ? sql`${sql(found)}`
      : field === "_id"
        ? sql`to_jsonb(id)`
        : field === "_index"
          ? sql`to_jsonb(${index}::text)`
          : undefined
  const path = (field: string, [condition, variables]: readonly [string, Variables], open = false): Fragment => {
    const json = `{${variables.map(([name, value]) => `"${name}":${value}`).join(",")}}`
    const values = valuesOf(field)
    const at = values === undefined ? anyValue(field, condition, open) : `${foundPath} ? (${condition})`
    return sql`coalesce(jsonb_path_exists(${values ?? sql`doc`}, ${at}::jsonpath, ${json}::jsonb, true), false)`
  }
  /** A condition on `value` that a JSON path cannot express. */
  const leaves = (field: string, condition: Fragment): Fragment => {
    const values = valuesOf(field)
    const paths = values === undefined ? pathsOf(field).map((at) => `$${at.slice(1)}[*][*]`) : [foundPath]
    return sql.or(
      paths.map(
        (at) =>
          sql`exists (select from jsonb_path_query(${values ?? sql`doc`}, ${at}::jsonpath, '{}', true) as value where ${condition})`
      )
    )
  }
  const anyOf = (conditions: ReadonlyArray<Fragment>) => (conditions.length === 0 ? sql`false` : sql.or(conditions))
  const compile = (query: Query): Fragment => {
    switch (query._tag) {
      case "All":
        return sql`true`
      case "None":
        return sql`false`
      case "Bool": {
        const conditions = query.must.map(compile)
        if (query.minimum === 1) conditions.push(anyOf(query.should.map(compile)))
        else if (query.minimum > 0) {
          const counted = query.should.map((one) => sql`(${compile(one)})::integer`)
          conditions.push(
            counted.length < query.minimum ? sql`false` : sql`${sql.join(" + ", true)(counted)} >= ${query.minimum}`
          )
        }
        if (query.mustNot.length > 0) conditions.push(sql`not (${sql.or(query.mustNot.map(compile))})`)
        return conditions.length === 0 ? sql`true` : sql.and(conditions)
      }
      case "Fields": {
        const names = fieldNames(query.pattern)
        const some = sql`exists (
          select from flow_fields(doc, ${names}) as fields (${sql(found)}) where ${compile(query.query)})`
        return isCheap(query.query) ? sql.and([compile(anywhere(query.query)), some]) : some
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
      case "Words": {
        const { patterns, slop } = query
        const near = sql`flow_near(value, ${wordExpression}, ${patterns}::text[], ${slop}::integer)`
        // Dividing a text into words takes much longer than finding out that it has none of them.
        const have = patterns.map((pattern) => {
          const somewhere = quoted(pattern.replace(/^\^|\$$/g, ""))
          return path(query.field, [`@ like_regex ${somewhere} flag "s"`, []])
        })
        return sql.and([...have, leaves(query.field, near)])
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
        if (query.field === "@timestamp") return sql`(ts >= ${String(query.from)} and ts <= ${String(query.to)})`
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
  return compile(query)
}

/** The query of `Fields` on all values of the document, which holds whenever it holds for one of the fields. */
const anywhere = (query: Query): Query => {
  if (query._tag === "Bool") return { ...query, must: query.must.map(anywhere), should: query.should.map(anywhere) }
  return "field" in query ? { ...query, field: "*" } : query
}

/** The condition of a query for the documents of an index: the same for all of them unless the query asks for theirs. */
export const conditionFor = (sql: SqlClient.SqlClient, query: Query): ((index: string) => Fragment) => {
  if (asksIndex(query)) return (index) => compiled(sql, query, index)
  const condition = compiled(sql, query, "")
  return () => condition
}
