import { Schema } from "effect"

/** A duration in files: a whole number followed by `ms`, `s`, `m` or `h`. */
export const DurationText = Schema.String.check(
  Schema.isPattern(/^\d{1,6}(ms|s|m|h)$/u, { expected: "a duration such as 500ms, 1s, 5m or 2h" })
)

/** The milliseconds of the units of durations. */
export const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The milliseconds of a duration such as `500ms`, `30s` or `1d`; NaN for any other text. Schemas say which are allowed. */
export const durationMillis = (duration: string): number => {
  const [, count = "", unit = ""] = /^(\d+)(ms|s|m|h|d)$/u.exec(duration) ?? []
  return count === "" ? Number.NaN : Number(count) * unitMillis[unit]!
}
