import { fieldPath } from "../../languages/FieldPath.ts"
import { fieldReader } from "../../languages/Generated.ts"
import type { Event } from "../Node.ts"

/** A text for each value: that of another value is another one, also when texts are joined. */
const textOf = (value: unknown): string => {
  if (typeof value === "string") return `s${value.length}:${value}`
  if (typeof value === "number") return `n${value};`
  const json = JSON.stringify(value)
  return `j${json.length}:${json}`
}

/** The key of a record, for maps. */
export type Key = string | number | boolean

/** The key of one value is the value itself where it can be: a text of its own would take time and memory. */
const ofOne = (value: unknown): Key => {
  if (typeof value === "string") return value.charCodeAt(0) === 0 ? `\u0000s${value}` : value
  return typeof value === "number" || typeof value === "boolean" ? value : `\u0000j${JSON.stringify(value)}`
}

/**
 * Reads the key of a record: equal for records whose fields have equal values, and only for them. The number 1 and the
 * text 1 are different. Undefined for a record without one of the fields, or with null in it.
 */
export const keyReader = (names: ReadonlyArray<string>): ((event: Event) => Key | undefined) => {
  const paths = names.map(fieldPath)
  const [only] = paths
  if (only !== undefined && paths.length === 1) {
    const read = fieldReader(only)
    return (event) => {
      const value = read(event)
      return value === undefined || value === null ? undefined : ofOne(value)
    }
  }
  const reads = paths.map(fieldReader)
  return (event) => {
    let key = ""
    for (let at = 0; at < reads.length; at++) {
      const value = reads[at]!(event)
      if (value === undefined || value === null) return undefined
      key += textOf(value)
    }
    return key
  }
}
