import { Schema } from "effect"
import { durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { fieldPath, getPath } from "../../languages/FieldPath.ts"
import { named, sameFields } from "../FieldUse.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { keyReader } from "../records/RecordKey.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { timeOf } from "../time/EventTime.ts"
import { SeenKeys } from "./deduplicate/SeenKeys.ts"

/** The stream of the records that are dropped otherwise. */
const duplicates = "duplicates"

export const deduplicate = node({
  type: "deduplicate",
  kind: "processing",
  effect: "selects",
  description:
    "Passes on the first record of each key and drops the later ones, or sends them to the stream `duplicates`. The keys " +
    "are kept in memory; beyond its bounds those of the earliest records are forgotten. A run that is started again " +
    "begins without keys.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    key: Schema.NonEmptyArray(Schema.NonEmptyString).annotate({
      description: "Fields that are equal in duplicates. The number 1 and the text 1 are different."
    }),
    window: Schema.optionalKey(
      PositiveDuration.annotate({
        description:
          "Time in which records with the same key are duplicates, from the first one on, for example `5m`. Default: always."
      })
    ),
    time_field: Schema.NonEmptyString.pipe(
      withDefault("@timestamp", "Field with the record's time for `window`: ISO 8601 or epoch milliseconds.")
    ),
    ignore_missing: Schema.Boolean.pipe(
      withDefault(false, "Pass on records without a field of the key instead of failing them.")
    ),
    max_keys: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })).pipe(
      withDefault(100_000, "Maximum number of keys in memory.")
    ),
    max_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 8_589_934_592 })).pipe(
      withDefault(
        67_108_864,
        "Maximum memory of the keys in bytes: each takes two for a character, and 120. A key that is larger is not kept."
      )
    )
  }),
  inputs: { min: 1, max: 100 },
  outputs: [chosen, duplicates, errors],
  example: { key: ["host", "message"], window: "10m" },
  fields: ({ key, window, time_field, ignore_missing }) =>
    sameFields([
      ...(ignore_missing ? [] : named(key, ["key"])),
      ...(window === undefined ? [] : named(time_field, ["time_field"]))
    ]),
  start: ({ key, window, time_field, ignore_missing, max_keys, max_bytes }, context) => {
    const keyOf = keyReader(key)
    const length = window === undefined ? undefined : durationMillis(window)
    const time = fieldPath(time_field)
    const seen = new SeenKeys(max_keys, max_bytes)
    const failures = new Failures(context)
    return {
      process: async (batch, emit) => {
        const first: Array<Event> = []
        const repeated: Array<Event> = []
        for (const event of batch) {
          const found = keyOf(event)
          const millis = length === undefined ? 0 : timeOf(getPath(event, time))
          if (found === undefined) {
            if (ignore_missing) first.push(event)
            else failures.add(event, `a field of the key is missing: ${key.join(", ")}`)
          } else if (Number.isNaN(millis)) failures.add(event, `the field ${time_field} is not a time`)
          else if (seen.isNew(found, millis, length)) first.push(event)
          else repeated.push(event)
        }
        await emit(chosen, first)
        await emit(duplicates, repeated)
        await failures.send(emit)
      }
    }
  }
})
