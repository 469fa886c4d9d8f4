import { Schema } from "effect"

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const span = /^([1-9]\d{0,4})(s|m|h|d)$/u

/** A span of time in a schedule. */
export const Span = Schema.String.check(Schema.isPattern(span, { expected: "a span such as 30s, 15m, 6h or 1d" }))

/** The milliseconds of a span. */
export const spanMillis = (text: string): number => {
  const [, count = "", unit = ""] = span.exec(text) ?? []
  return Number(count) * (units[unit] ?? 0)
}
