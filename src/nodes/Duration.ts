import { Schema } from "effect"
import { unitMillis } from "../languages/UnitMillis.ts"

const durationPattern = /^(\d{1,9})(ms|s|m|h|d)$/u

/** The milliseconds of a duration. */
export const millisOf = (duration: string): number => {
  const [, count = "", unit = ""] = durationPattern.exec(duration) ?? []
  return Number(count) * (unitMillis[unit] ?? Number.NaN)
}

/** A duration, which may be 0. */
export const Duration = Schema.String.check(
  Schema.isPattern(durationPattern, { expected: "a duration such as 30s, 5m, 1h or 1d" })
)

/** A duration above 0. */
export const Length = Schema.String.check(
  Schema.isPattern(/^(?!0+\D)(\d{1,9})(ms|s|m|h|d)$/u, { expected: "a duration above 0, such as 30s, 5m, 1h or 1d" })
)
