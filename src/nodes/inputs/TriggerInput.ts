import { Schema } from "effect"
import { runtimes } from "../../protocol/Flowline.ts"
import { recordsOf } from "../formats/BodyRecords.ts"
import { chosen, errors, node } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"

export const triggerInput = node({
  type: "trigger_input",
  kind: "input",
  description:
    "Publishes what started the execution: the records of the webhook's body, else one record with `schedule`, " +
    "`kind`, `scheduledAt`, `file` and `parameters`, as far as there are any. An execution that no schedule has started " +
    "gets no record.",
  runtimes,
  settings: Schema.Struct({
    field: Schema.optionalKey(
      Schema.String.check(Schema.isPattern(/^[A-Za-z_@][\w@-]{0,99}$/u)).annotate({
        description: "Field of each record of a body in which the trigger stands. By default it stands in none."
      })
    )
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: { field: "trigger" },
  start: ({ field }, context) => ({
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
      const records =
        field === undefined || triggerBody === undefined
          ? found
          : found.map((record) => ({ ...record, [field]: trigger }))
      for (let at = 0; at < records.length; at += batchRecords) await emit(chosen, records.slice(at, at + batchRecords))
      await failures.send(emit)
    }
  })
})
