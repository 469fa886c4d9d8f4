import { Schema } from "effect"

/** A duration, which may be 0. */
export const Duration = Schema.String.check(
  Schema.isPattern(/^\d{1,9}(ms|s|m|h|d)$/u, { expected: "a duration such as 30s, 5m, 1h or 1d" })
)

/** A duration above 0. */
export const PositiveDuration = Schema.String.check(
  Schema.isPattern(/^(?!0+\D)\d{1,9}(ms|s|m|h|d)$/u, { expected: "a duration above 0, such as 30s, 5m, 1h or 1d" })
)
