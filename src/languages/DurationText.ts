import { Schema } from "effect"

/** The milliseconds of the units of durations. */
export const unitMillis = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The milliseconds of a duration such as `500ms`, `30s` or `1d`; NaN for any other text. Schemas say which are allowed. */
export const durationMillis = (duration: string): number => {
  const [, count = "", unit = ""] = /^(\d+)(ms|s|m|h|d)$/u.exec(duration) ?? []
  return count === "" ? Number.NaN : Number(count) * unitMillis[unit as keyof typeof unitMillis]
}

const duration = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

export const durationPattern = /^\d{1,6}(ms|s|m|h)$/u

/** A duration of a parameter, or in the retries of a flowline or channel. */
export const DurationText = duration(durationPattern, "a duration such as 500ms, 1s, 5m or 2h")

/** A duration in the settings of a node, which may be 0. */
export const Duration = duration(/^\d{1,9}(ms|s|m|h|d)$/u, "a duration such as 30s, 5m, 1h or 1d")

/** A {@link Duration} above 0. */
export const PositiveDuration = duration(
  /^(?!0+\D)\d{1,9}(ms|s|m|h|d)$/u,
  "a duration above 0, such as 30s, 5m, 1h or 1d"
)

/** A span of time in a schedule. */
export const Span = duration(/^[1-9]\d{0,4}(s|m|h|d)$/u, "a span such as 30s, 15m, 6h or 1d")
