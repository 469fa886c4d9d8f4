import { Schema } from "effect"
import { namesIn } from "../FieldUse.ts"
import { type Batch, chosen, type Event, node } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { sleep } from "../time/Sleep.ts"

const Message = Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])

/** Maximum sleep of a slow generator, in milliseconds. */
const tickMillis = 50
/** Maximum backlog that is caught up after slow receivers, in milliseconds. */
const backlogMillis = 1000

export const generatorInput = node({
  type: "generator_input",
  kind: "input",
  description: "Generates records at a steady rate, cycling through a list of messages. For tests and demonstrations.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    messages: Schema.NonEmptyArray(Message).annotate({
      description: "The messages: a string becomes `{message}`, an object is the record itself."
    }),
    count: Schema.optionalKey(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
        description: "Total number of records. Default: runs until it is stopped."
      })
    ),
    rate: Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 10_000_000 })).pipe(
      withDefault(1000, "Number of records per second.")
    )
  }),
  secrets: ["messages"],
  inputs: { min: 0, max: 0 },
  outputs: [chosen],
  example: { messages: ["189 127.0.0.1 GET /index.html", { message: "hello", level: "info" }], count: 10, rate: 100 },
  fields: ({ messages }) => ({
    reads: [],
    gives: () => new Set(messages.flatMap((message) => (typeof message === "string" ? ["message"] : namesIn(message))))
  }),
  start: ({ messages, count = Number.POSITIVE_INFINITY, rate }, { signal }) => {
    const events = messages.map((message): Event => (typeof message === "string" ? { message } : message))
    return {
      run: async (emit) => {
        const perMilli = rate / 1000
        let began = performance.now()
        /** Number of records since `began`, and in total. */
        let made = 0
        let total = 0
        while (total < count && !signal.aborted) {
          const now = performance.now()
          const due = Math.min(Math.floor((now - began) * perMilli) + 1 - made, count - total)
          if (due <= 0) {
            await sleep(Math.min(tickMillis, Math.max(1, began + made / perMilli - now)), signal)
            continue
          }
          const size = Math.min(due, batchRecords)
          const batch: Batch = Array.from({ length: size }, (_, index) => events[(total + index) % events.length]!)
          made += size
          total += size
          await emit(chosen, batch)
          const behind = performance.now() - began - made / perMilli
          if (behind > backlogMillis) began += behind - backlogMillis
        }
      }
    }
  }
})
