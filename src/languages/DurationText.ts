import { Schema } from "effect"
import { unitMillis } from "./UnitMillis.ts"

const pattern = /^(\d{1,6})(ms|s|m|h)$/u

/** A duration in files: a whole number followed by `ms`, `s`, `m` or `h`. */
export const DurationText = Schema.String.check(
  Schema.isPattern(pattern, { expected: "a duration such as 500ms, 1s, 5m or 2h" })
)

/** The milliseconds of a {@link DurationText}. */
export const millisOf = (duration: string): number => {
  const [, count = "", unit = ""] = pattern.exec(duration) ?? []
  return Number(count) * (unitMillis[unit] ?? 0)
}
