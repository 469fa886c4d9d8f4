/** What a part of a format reads. */
export type Kind =
  | "year"
  | "month"
  | "monthName"
  | "day"
  | "dayOfYear"
  | "week"
  | "weekYear"
  | "weekday"
  | "weekdayName"
  | "hour"
  | "hour12"
  | "hour24"
  | "minute"
  | "second"
  | "fraction"
  | "half"
  | "offset"
  | "zone"

/** A literal text, or a field with the number of its letters. */
export type Part = string | { readonly kind: Kind; readonly width: number }

const letters: Readonly<Record<string, Kind>> = {
  y: "year",
  u: "year",
  M: "month",
  L: "month",
  d: "day",
  D: "dayOfYear",
  w: "week",
  e: "weekday",
  E: "weekdayName",
  H: "hour",
  k: "hour24",
  h: "hour12",
  K: "hour12",
  m: "minute",
  s: "second",
  S: "fraction",
  a: "half",
  X: "offset",
  x: "offset",
  z: "zone",
  V: "zone"
}

const kindOf = (letter: string, width: number, hasWeek: boolean): Kind | undefined => {
  // Joda's `x` and Java's `Y` are the year of a week; without a week, `Y` is a year and `x` an offset.
  if (hasWeek && (letter === "Y" || (letter === "x" && width === 4))) return "weekYear"
  if (letter === "Y") return "year"
  if ((letter === "M" || letter === "L") && width > 2) return "monthName"
  if (letter === "Z") return width === 3 ? "zone" : "offset"
  return letters[letter]
}

/** Fields that say the same, of which a format can have only one. */
const rivals: ReadonlyArray<readonly [Kind, Kind]> = [
  ["dayOfYear", "day"],
  ["dayOfYear", "month"],
  ["dayOfYear", "monthName"],
  ["dayOfYear", "week"],
  ["week", "day"],
  ["week", "month"],
  ["week", "monthName"],
  ["hour", "hour12"],
  ["hour", "hour24"],
  ["hour12", "hour24"]
]

const names: Partial<Record<Kind, string>> = {
  dayOfYear: "the day of the year (D)",
  day: "the day (d)",
  month: "the month (M)",
  monthName: "the month (MMM)",
  week: "the week (w)",
  hour: "the hour (H)",
  hour12: "the hour of half a day (h)",
  hour24: "the hour from 1 to 24 (k)"
}

/** Why a format cannot be used, and what to do about it. */
export class FormatFault extends Error {}

/** Reads a format with letters as in Java. Throws a {@link FormatFault}. */
export const formatParts = (format: string): ReadonlyArray<Part> => {
  const tokens = [...format.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g)]
  const hasWeek = tokens.some(([token, quoted]) => quoted === undefined && token.startsWith("w"))
  const parts = tokens.map(([token, quoted]): Part => {
    if (token === "''") return "'"
    if (token === "'") throw new FormatFault("A quote is not closed: write '' for the character itself")
    if (quoted !== undefined) return quoted.replaceAll("''", "'")
    const letter = token[0]!
    if (!/[A-Za-z]/.test(letter)) return token
    const kind = kindOf(letter, token.length, hasWeek)
    if (kind === undefined) throw new FormatFault(`"${token}" in the format is not a known field; put text in quotes`)
    return { kind, width: token.length }
  })
  const kinds = new Set(parts.flatMap((part) => (typeof part === "string" ? [] : [part.kind])))
  if (kinds.size === 0) throw new FormatFault("The format has no field, such as yyyy or HH")
  for (const [one, other] of rivals) {
    if (kinds.has(one) && kinds.has(other)) throw new FormatFault(`Use either ${names[one]} or ${names[other]}`)
  }
  return parts
}
