import { Schema } from "effect"

/** A span of time in a schedule. */
export const Span = Schema.String.check(
  Schema.isPattern(/^[1-9]\d{0,4}(s|m|h|d)$/u, { expected: "a span such as 30s, 15m, 6h or 1d" })
)
