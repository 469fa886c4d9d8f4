import { Schema } from "effect"
import type { Fields } from "../../languages/FieldPath.ts"
import { type Known, whereFaults } from "../FieldUse.ts"
import { type Batch, chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { fieldsAfter, isWhole, readsOf } from "./mutate/OperationFields.ts"
import { Operation, operationNames } from "./mutate/Operations.ts"
import { ReplaceFault, replacer } from "./mutate/Replace.ts"
import { mutation, namesOf } from "./mutate/Steps.ts"
import { limited } from "./ParsingNode.ts"

const settings = Schema.Struct({
  operations: Schema.NonEmptyArray(Operation)
    .check(Schema.isMaxLength(1000))
    .annotate({
      description:
        "Operations, done in this order. Each has one of the names `rename`, `copy`, `move`, `remove`, `keep`, `set`, " +
        "`default`, `convert`, `split`, `join`, `lowercase`, `uppercase`, `capitalize`, `trim`, `replace`, `merge`, " +
        "`flatten` and `expand`, and may have a condition: `where`."
    }),
  timeout_millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })).pipe(
    withDefault(1000, "Processor time in milliseconds for a record when operations have patterns; then it fails.")
  )
})

const replaceFaults = ({ replace }: Operation): ReadonlyArray<SettingsIssue> => {
  try {
    if (replace !== undefined) replacer(replace.pattern, replace.with)
    return []
  } catch (cause) {
    if (!(cause instanceof ReplaceFault)) throw cause
    return [{ path: ["replace", cause.setting], detail: cause.message }]
  }
}

const countFaults = (operation: Operation): ReadonlyArray<SettingsIssue> => {
  const names = namesOf(operation)
  if (names.length === 1) return []
  const all = names.length === 0 ? operationNames.join(", ") : names.join(" and ")
  const detail = names.length === 0 ? `Expected one of ${all}` : `Expected one operation, not ${all}: write two entries`
  return [{ path: [], detail }]
}

export const mutate = node({
  type: "mutate",
  kind: "processing",
  description:
    "Changes the fields of records by a list of operations. Fields that are missing are skipped. A record that an " +
    "operation cannot be done to fails as it was received.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: {
    operations: [
      { rename: { clientip: "source.ip" } },
      { convert: { bytes: "integer" } },
      { lowercase: ["verb"] },
      { set: { summary: "%{verb} %{request}" }, where: "response >= 400" },
      { remove: ["message"] }
    ]
  },
  check: ({ operations }) =>
    operations.flatMap((operation, at) =>
      [...countFaults(operation), ...replaceFaults(operation), ...whereFaults(operation.where, ["where"])].map(
        (issue) => ({
          ...issue,
          path: ["operations", at, ...issue.path]
        })
      )
    ),
  fields: ({ operations }) => ({
    isWhole: operations.some(isWhole),
    reads: readsOf(operations),
    gives: (known) => operations.reduce<Known>((fields, operation) => fields && fieldsAfter(fields, operation), known)
  }),
  start: ({ operations, timeout_millis }, context) => {
    const change = mutation(operations) as (event: Event) => Fields | string
    const failures = new Failures(context)
    const { guard } = context
    const mayRunAway = operations.some(({ replace, where }) => replace !== undefined || where?.includes("~") === true)
    const all =
      guard === undefined || !mayRunAway
        ? (batch: Batch) => batch.map(change)
        : (batch: Batch) => limited(batch, change, guard, timeout_millis)
    return {
      process: async (batch, emit) => {
        const changed: Array<Event> = []
        const results = all(batch)
        for (let at = 0; at < results.length; at++) {
          const result = results[at]!
          if (typeof result === "string") failures.add(batch[at]!, result)
          else changed.push(result)
        }
        await emit(chosen, changed)
        await failures.send(emit)
      }
    }
  }
})
