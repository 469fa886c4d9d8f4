import { Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import { batchRecords } from "../Batch.ts"
import { Failures } from "../Failures.ts"
import { recordsOf } from "../formats/BodyRecords.ts"
import { chosen, errors, node } from "../Node.ts"

export const triggerInput = node({
  type: "trigger_input",
  kind: "input",
  description:
    "Publishes what started the execution: the records of the webhook's body, else one record with `schedule`, " +
    "`kind`, `scheduledAt`, `file` and `parameters`, as far as there are any. An execution that no schedule has started " +
    "gets no record.",
  runtimes,
  settings: Schema.Struct({}),
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: {},
  start: (_, context) => ({
    run: async (emit) => {
      const { trigger, triggerBody } = context
      const failures = new Failures(context)
      const found =
        triggerBody !== undefined
          ? recordsOf(triggerBody.type, triggerBody.text, failures)
          : trigger === undefined
            ? []
            : [{ ...trigger }]
      if (typeof found === "string") throw new Error(found)
      for (let at = 0; at < found.length; at += batchRecords) await emit(chosen, found.slice(at, at + batchRecords))
      await failures.send(emit)
    }
  })
})
