import { Schema } from "effect"

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const pattern = /^(\d{1,6})(ms|s|m|h)$/u

/** A duration in files: a whole number followed by `ms`, `s`, `m` or `h`. */
export const DurationText = Schema.String.check(
  Schema.isPattern(pattern, { expected: "a duration such as 500ms, 1s, 5m or 2h" })
)

/** The milliseconds of a {@link DurationText}. */
export const millisOf = (duration: string): number => {
  const [, count = "", unit = ""] = pattern.exec(duration) ?? []
  return Number(count) * (units[unit] ?? 0)
}
