import { Schema } from "effect"
import { fieldPath, getPath, putPath } from "../../languages/FieldPath.ts"
import { dotted, named, withFields } from "../FieldUse.ts"
import { chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { keyReader } from "../records/RecordKey.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName } from "../settings/SettingTexts.ts"
import { Counts } from "./sample/Counts.ts"
import { fractionOf } from "./sample/Hash.ts"

const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const settings = Schema.Struct({
  every: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
      description: "Passes on the first of every so many records; with `key`, of the records of each key."
    })
  ),
  probability: Schema.optionalKey(
    Probability.annotate({ description: "Share of the records to pass on, for example `0.01`." })
  ),
  rates: Schema.optionalKey(
    Schema.Record(Schema.String, Probability).annotate({
      description:
        "Shares for the values of `rate_field`. Records with another value have `probability`; without one, all pass."
    })
  ),
  rate_field: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "Field whose value chooses one of the `rates`." })
  ),
  key: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.NonEmptyString).annotate({
      description:
        "Fields that decide with `probability` and `rates`: either all records of a key pass or none, in every run. " +
        "Records without one of the fields are one key. Default: each record for itself."
    })
  ),
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_294_967_295 })).pipe(
    withDefault(0, "Another number chooses other records.")
  ),
  weight_field: Schema.optionalKey(
    FieldName.check(Schema.isNonEmpty()).annotate({
      description: "Field that receives how many records this one stands for: `every`, or 1 divided by the share."
    })
  ),
  max_keys: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })).pipe(
    withDefault(100_000, "Maximum number of keys that `every` counts; those counted longest are forgotten first.")
  )
})
type Settings = typeof settings.Type

const check = ({ every, probability, rates, rate_field }: Settings): ReadonlyArray<SettingsIssue> => {
  const isRandom = probability !== undefined || rates !== undefined
  const issues: Array<SettingsIssue> = []
  if ((every !== undefined) === isRandom) {
    issues.push({ path: [], detail: "Expected either every, or probability and rates" })
  }
  if ((rates === undefined) !== (rate_field === undefined)) {
    const path = rates === undefined ? "rate_field" : "rates"
    issues.push({ path: [path], detail: "Rates are chosen by a field: write both rates and rate_field" })
  }
  return issues
}

/** How many records a passing record stands for, or 0 when it does not pass. */
type Weigh = (event: Event) => number

const counting = (every: number, { key, max_keys }: Settings): Weigh => {
  const keyOf = key === undefined ? undefined : keyReader(key)
  if (keyOf === undefined) {
    let count = 0
    return () => (count++ % every === 0 ? every : 0)
  }
  const counts = new Counts(max_keys)
  return (event) => (counts.next(keyOf(event) ?? "", every) === 0 ? every : 0)
}

const choosing = ({ probability, rates, rate_field, key, seed }: Settings): Weigh => {
  const shares = rates === undefined ? undefined : new Map(Object.entries(rates))
  const path = fieldPath(rate_field ?? "")
  const keyOf = key === undefined ? undefined : keyReader(key)
  let count = 0
  return (event) => {
    const value = shares === undefined ? undefined : getPath(event, path)
    const own = value === undefined || typeof value === "object" ? undefined : shares?.get(String(value))
    const share = own ?? probability ?? 1
    const text = keyOf === undefined ? String(count++) : String(keyOf(event) ?? "")
    return fractionOf(text, seed) < share ? 1 / share : 0
  }
}

export const sample = node({
  type: "sample",
  kind: "processing",
  effect: "selects",
  description:
    "Passes on a part of the records and drops the others: every n-th, a share, or shares by the value of a field. The " +
    "same records in the same order give the same part in every run.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  // Without a key the place of a record decides.
  isStateless: ({ every, key }) => every === undefined && key !== undefined,
  outputs: [chosen, errors],
  example: { probability: 0.1, key: ["clientip"], weight_field: "weight" },
  check,
  fields: ({ key, rate_field, weight_field }) => ({
    reads: [...named(key, ["key"]), ...named(rate_field, ["rate_field"])],
    gives: (known) => (weight_field === undefined ? known : withFields(known, [dotted(weight_field)]))
  }),
  start: (given, context) => {
    const weigh = given.every === undefined ? choosing(given) : counting(given.every, given)
    const target = given.weight_field === undefined ? undefined : fieldPath(given.weight_field)
    const failures = new Failures(context)
    return {
      process: async (batch, emit) => {
        const passing: Array<Event> = []
        for (const event of batch) {
          const weight = weigh(event)
          if (weight === 0) continue
          if (target === undefined) {
            passing.push(event)
            continue
          }
          const weighed = { ...event }
          if (putPath(weighed, target, weight)) passing.push(weighed)
          else failures.add(event, `${given.weight_field} cannot be written, because a value is in its way`)
        }
        await emit(chosen, passing)
        await failures.send(emit)
      }
    }
  }
})
