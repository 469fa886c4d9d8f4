import { Schema } from "effect"

const BankPattern = Schema.Struct({
  name: Schema.String,
  regex: Schema.String.annotate({ description: "Regular expression, which may refer to other patterns as %{NAME}" }),
  source: Schema.optionalKey(
    Schema.String.annotate({ description: "The tenant's file or artifact that defines it; missing if it is built in" })
  ),
  example: Schema.optionalKey(Schema.String.annotate({ description: "A text of which the pattern matches all" }))
}).annotate({ identifier: "BankPattern" })

/** The patterns that a test of grok can refer to. */
export const Bank = Schema.Struct({
  patterns: Schema.Array(BankPattern).annotate({ description: "By name" }),
  leftOut: Schema.Array(Schema.String).annotate({
    description: "What was left out of the tenant's patterns, and why"
  })
}).annotate({ identifier: "Bank" })

export const ecsChoices = ["disabled", "v1"] as const
