import { Effect, Schema } from "effect"
import { node, runtimes } from "./Node.ts"

export const show = node({
  type: "show",
  kind: "output",
  description: "Prints the records to the execution's output, each as one line of JSON.",
  runtimes,
  settings: Schema.Struct({
    limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
      .annotate({ description: "Records to print; a last line says when there were more.", default: 1000 })
      .pipe(Schema.withDecodingDefaultKey(Effect.succeed(1000)))
  }),
  inputs: { min: 1, max: 100 },
  outputs: [],
  example: { limit: 20 },
  start: ({ limit }, context) => {
    let shown = 0
    let told = false
    return {
      process: async (batch) => {
        if (told) return
        const lines = batch.slice(0, limit - shown).map((event) => JSON.stringify(event))
        shown += lines.length
        if (lines.length < batch.length) {
          told = true
          lines.push(`(the limit of ${limit} records is reached: the others are not shown)`)
        }
        if (lines.length > 0) await context.print(lines)
      }
    }
  }
})
