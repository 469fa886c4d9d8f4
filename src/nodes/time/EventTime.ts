import { firstMillis, lastMillis } from "./Calendar.ts"
import { reader } from "./DateReader.ts"
import { utc } from "./Zone.ts"

const iso = reader("ISO8601", { now: Date.now })

/** The epoch milliseconds of a field with a time; NaN when it is none. */
export const timeOf = (value: unknown): number => {
  if (typeof value === "string" && !/^-?\d+$/.test(value)) return iso(value, utc)
  const millis = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN
  return millis >= firstMillis && millis <= lastMillis ? millis : Number.NaN
}
