import { parseQuery } from "../search/Parser.ts"
import type { SettingsIssue } from "./Node.ts"

const pathOf = (pointer: string): ReadonlyArray<string | number> =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d{1,9}$/.test(step) ? Number(step) : step))

/** What is wrong with the query of a node. */
export const checkSearch = (settings: unknown): ReadonlyArray<SettingsIssue> => {
  const parsed = parseQuery(Object(settings).query ?? {}, Date.now())
  return parsed._tag === "Success"
    ? []
    : parsed.failure.map(({ pointer = "", detail }) => ({ path: ["query", ...pathOf(pointer)], detail }))
}
