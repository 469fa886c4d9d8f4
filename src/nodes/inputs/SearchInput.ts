import { Predicate, Schema } from "effect"
import { readRaw } from "../../languages/json/JsonNumbers.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import type { Row } from "../../languages/query/IndexedDocument.ts"
import { isIndexOf, named } from "../../languages/query/IndexName.ts"
import { setMember } from "../../languages/query/Member.ts"
import { runtimes } from "../../protocol/Flowline.ts"
import { type CheckContext, chosen, type Event, node, type SettingsIssue } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

/** The setting that names the indices to search. */
export const patternSetting = Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
  description:
    "Index to read, `<tenant>-…`. With `*` and `?` it is a pattern that matches any number of indices; commas " +
    "separate several names."
})

/** The setting for a query. */
export const querySetting = Schema.Record(Schema.String, Schema.Unknown).pipe(
  withDefault(
    {},
    "Elasticsearch query of the documents to read. Default: all documents. `now` is the start of the run."
  )
)

/** The faults of a query, and of an index name of another tenant, whether that index exists or not. */
export const checkSearch = (
  { index, query }: { readonly index: string; readonly query: unknown },
  { tenant, queryFaults }: CheckContext
): ReadonlyArray<SettingsIssue> => {
  const issues = queryFaults(query).map((issue) => ({ ...issue, path: ["query", ...issue.path] }))
  // Patterns match indices of the tenant only, so they need no check.
  const other = tenant === undefined ? undefined : named(index).names.find((name) => !isIndexOf(tenant, name))
  if (other === undefined) return issues
  const detail = `There is no index ${JSON.stringify(other)} for this tenant, whose indices start with ${tenant}-`
  return [...issues, { path: ["index"], detail }]
}

/** Parses a query at the start of a run. */
const queryAt = async (query: unknown) => {
  const { parseQuery } = await import("../../languages/query/QueryParser.ts")
  const parsed = parseQuery(query, Date.now())
  if (parsed._tag === "Success") return parsed.success
  const [issue] = parsed.failure
  throw new Error(`The query is invalid: ${issue?.pointer ?? ""} ${issue?.detail ?? ""}`)
}

const parsedRow = (row: Row, parse: (json: string) => unknown): Event => {
  const event: Event = {}
  for (const [field, value] of Object.entries(row)) if (value !== null) setMember(event, field, parse(value))
  return event
}

export const searchInput = node({
  type: "search_input",
  kind: "input",
  description:
    "Reads the documents of an index that match a query, ordered by `@timestamp` and then id, from one snapshot. " +
    "Numbers that a double would round become strings, unless `values` is `exact`.",
  runtimes,
  settings: Schema.Struct({
    index: patternSetting,
    query: querySetting,
    fields: Schema.optionalKey(
      Schema.NonEmptyArray(Schema.NonEmptyString.check(Schema.isMaxLength(512)))
        .check(Schema.isMaxLength(500))
        .annotate({
          description:
            "Fields of the records; a nested field is named by its dotted path, in the record too. Fields that a " +
            "document lacks are omitted. Default: whole documents."
        })
    ),
    values: Schema.Literals(["json", "text", "exact"]).pipe(
      withDefault(
        "json",
        "`json`: values unchanged. `text`, for `fields`: strings only, nested values as JSON, null for missing " +
          "values. `exact`, for outputs such as `extraction_output`: numbers keep all their digits, but other nodes may not accept them as numbers."
      )
    ),
    count: Schema.Boolean.pipe(
      withDefault(false, "Count the documents while reading them; the execution's detail then has a `total`.")
    )
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen],
  example: { index: "mytenant-access-*", query: { range: { "@timestamp": { gte: "now-1d/d" } } } },
  needs: ["search"],
  check: checkSearch,
  startEncoded: ({ index, query, fields, values, count }, encoding) => {
    if (values !== "text" || !encoding.fields.every((field) => fields?.includes(field))) return undefined
    return async ({ documents, expect, signal }, write) => {
      if (documents === undefined) throw new Error("This gateway has no search")
      const [parsed] = await Promise.all([queryAt(query), documents.indices(index)])
      const options = { ...encoding, counted: count ? expect : undefined }
      return {
        run: async () => {
          for await (const encoded of documents.encoded(index, parsed, options)) {
            for (const { bytes, documents } of encoded) {
              signal.throwIfAborted()
              await write(bytes, documents)
            }
          }
        }
      }
    }
  },
  fields: ({ fields }) => ({ reads: [], gives: () => fields && new Set(fields) }),
  start: async ({ index, query, fields, values, count }, { documents, expect, signal }) => {
    if (documents === undefined) throw new Error("This gateway has no search")
    const parsed = await queryAt(query)
    await documents.indices(index)
    const counted = count ? expect : undefined
    const parse = values === "exact" ? readRaw : parseJson
    return {
      run: async (emit) => {
        if (fields === undefined) {
          for await (const texts of documents.read(index, parsed, { counted })) {
            signal.throwIfAborted()
            await emit(chosen, texts.map(parse).filter(Predicate.isObject))
          }
          return
        }
        for await (const rows of documents.rows(index, parsed, {
          fields,
          as: values === "text" ? "text" : "json",
          counted
        })) {
          signal.throwIfAborted()
          const events = values === "text" ? rows : rows.map((row) => parsedRow(row, parse))
          await emit(chosen, events)
        }
      }
    }
  }
})
