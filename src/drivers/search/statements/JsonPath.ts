import { cuts } from "../../../languages/query/FieldName.ts"
import type { FieldName } from "../../../languages/query/Query.ts"
import { storable } from "../../../languages/query/StoredText.ts"

/**
 * A string literal of a JSON path. All characters except plain letters and digits are escaped, so the text cannot end
 * the literal.
 */
export const quoted = (text: string): string =>
  `"${storable(text).replace(/[^A-Za-z0-9_ @.-]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`
  })}"`

/** The paths from the document's root `@` that a field name stands for. */
export const pathsOf = (field: FieldName): ReadonlyArray<string> => {
  if (field === "*") return ["@.**"]
  return cuts(field.split(".")).map((cut) => `@${cut.map((part) => `.${quoted(part)}`).join("")}`)
}

/** A JSON path to all non-null values at a path of members, through lists. */
export const listedPath = (way: ReadonlyArray<string>): string =>
  `$${way.map((part) => `.${quoted(part)}`).join("")} ? (@.type() != "null")`

/**
 * A predicate of a JSON path on the document `@`: a value of the field meets the condition, in which it is `@`. The filter
 * looks into a list, and each comparison in it into one more level of lists. A condition of several comparisons must
 * exclude lists, so one level is unwrapped first.
 *
 * @param open whether the condition has several comparisons
 */
export const anyValue = (field: FieldName, condition: string, open = false): string =>
  `(${pathsOf(field)
    .map((path) => `exists(${path}${open ? "[*]" : ""} ? (${condition}))`)
    .join(" || ")})`
