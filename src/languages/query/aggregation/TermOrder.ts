import { compareDecimals } from "../../json/JsonNumbers.ts"
import { storable } from "../StoredText.ts"
import { compareTexts } from "../text/TextPattern.ts"
import type { GroupKey } from "./Grouping.ts"

const types = ["number", "text", "boolean"]

/** Numbers before texts before booleans; texts by code points. */
export const compareKeys = (a: GroupKey, b: GroupKey): number => {
  if (typeof a === "number" || typeof b === "number") return Number(a) - Number(b)
  if (a._tag === "number" && b._tag === "number") return compareDecimals(a.digits, b.digits)
  if (a._tag === "text" && b._tag === "text") return compareTexts(storable(a.text), storable(b.text))
  if (a._tag === "boolean" && b._tag === "boolean") return Number(a.value) - Number(b.value)
  return types.indexOf(a._tag) - types.indexOf(b._tag)
}
