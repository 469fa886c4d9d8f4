import { JsonPointer } from "effect"
import { isIndexOf, named } from "../languages/query/IndexName.ts"
import { parseQuery } from "../languages/query/QueryParser.ts"
import type { SettingsIssue } from "./Node.ts"

const pathOf = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map(JsonPointer.unescapeToken)
    .map((step) => (/^\d{1,9}$/.test(step) ? Number(step) : step))

/** What is wrong with the query of a node. */
export const checkSearch = (settings: unknown): ReadonlyArray<SettingsIssue> => {
  const parsed = parseQuery(Object(settings).query ?? {}, Date.now())
  return parsed._tag === "Success"
    ? []
    : parsed.failure.map(({ pointer = "", detail }) => ({ path: ["query", ...pathOf(pointer)], detail }))
}

/** An index that is not the tenant's, whether it exists or not. Patterns stand for the tenant's own in any case. */
export const checkIndex = (type: string, settings: unknown, tenant: string): ReadonlyArray<SettingsIssue> => {
  const { index } = Object(settings)
  if (typeof index !== "string") return []
  const fault = (detail: string) => [{ path: ["index"], detail }]
  if (type === "search_output" && !isIndexOf(tenant, index)) {
    return fault(`An index of this tenant is ${tenant}- and then lower-case letters, digits, ".", "_" and "-"`)
  }
  if (type !== "search_input" && type !== "extraction_output") return []
  const other = named(index).names.find((name) => !isIndexOf(tenant, name))
  return other === undefined
    ? []
    : fault(`There is no index ${JSON.stringify(other)}: those of this tenant begin with ${tenant}-`)
}
