import { Schema } from "effect"
import { unitMillis } from "../../languages/UnitMillis.ts"

const span = /^([1-9]\d{0,4})(s|m|h|d)$/u

/** A span of time in a schedule. */
export const Span = Schema.String.check(Schema.isPattern(span, { expected: "a span such as 30s, 15m, 6h or 1d" }))

/** The milliseconds of a span. */
export const spanMillis = (text: string): number => {
  const [, count = "", unit = ""] = span.exec(text) ?? []
  return Number(count) * (unitMillis[unit] ?? 0)
}
