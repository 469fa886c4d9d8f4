import { cuts } from "../../languages/query/FieldName.ts"
import type { FieldName } from "../../languages/query/Query.ts"
import { storable } from "../../languages/query/Storable.ts"

/** A text as it stands in a JSON path. Everything beyond plain letters is escaped, so no text can end it. */
export const quoted = (text: string): string =>
  `"${storable(text).replace(/[^A-Za-z0-9_ @.-]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
  })}"`

/** The paths, from the document's root `@`, that a field name stands for. */
export const pathsOf = (field: FieldName): ReadonlyArray<string> => {
  if (field === "*") return ["@.**"]
  const below = field.endsWith(".*")
  const parts = (below ? field.slice(0, -2) : field).split(".")
  return cuts(parts).map((cut) => `@${cut.map((part) => `.${quoted(part)}`).join("")}${below ? ".**" : ""}`)
}

/** A JSON path to all values that the members lead to through lists, but null. */
export const listedPath = (way: ReadonlyArray<string>): string =>
  `$${way.map((part) => `.${quoted(part)}`).join("")} ? (@.type() != "null")`

/**
 * A JSON path that finds something when a value of the field meets the condition, in which it is `@`. The filter looks
 * into a list, and each comparison in it into a list once more; a condition of several comparisons must rule lists out,
 * so one level is opened before it.
 *
 * @param open whether the condition has several comparisons
 */
export const anyValue = (field: FieldName, condition: string, open = false): string =>
  `$ ? (${pathsOf(field)
    .map((path) => `exists(${path}${open ? "[*]" : ""} ? (${condition}))`)
    .join(" || ")})`
