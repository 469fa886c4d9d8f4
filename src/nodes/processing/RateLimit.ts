import { Schema } from "effect"
import { sameFields } from "../FieldUse.ts"
import { chosen, errors, node } from "../Node.ts"
import { sleep } from "../time/Sleep.ts"

/** Records that are due within this time are sent together, in milliseconds. */
const tickMillis = 20

export const rateLimit = node({
  type: "rate_limit",
  kind: "processing",
  description: "Limits the rate of records and slows down faster senders. Unused capacity is not " + "carried over.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    records_per_second: Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 10_000_000 })).annotate({
      description: "Maximum number of records per second."
    })
  }),
  inputs: { min: 1, max: 100 },
  // Nothing fails here, but a flowline may publish `errors` of all its nodes alike.
  outputs: [chosen, errors],
  example: { records_per_second: 500 },
  fields: () => sameFields(),
  start: ({ records_per_second: rate }, { signal }) => {
    const perRecord = 1000 / rate
    /** The time at which the next record may pass. */
    let free = 0
    return {
      process: async (batch, emit) => {
        for (let at = 0; at < batch.length && !signal.aborted; ) {
          const now = performance.now()
          free = Math.max(free, now - tickMillis)
          const due = Math.min(Math.floor((now - free) / perRecord) + 1, batch.length - at)
          if (free > now) {
            await sleep(Math.max(1, free - now, Math.min(tickMillis, (batch.length - at) * perRecord)), signal)
            continue
          }
          free += due * perRecord
          await emit(chosen, at === 0 && due === batch.length ? batch : batch.slice(at, at + due))
          at += due
        }
      }
    }
  }
})
