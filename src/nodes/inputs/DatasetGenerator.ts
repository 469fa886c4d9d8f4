import { Schema } from "effect"
import * as Predicate from "effect/Predicate"
import { runtimes } from "../../protocol/Flowline.ts"
import { namesIn } from "../FieldUse.ts"
import { chosen, node } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"

export const datasetGenerator = node({
  type: "dataset_generator",
  kind: "input",
  description: "Publishes the rows in its settings once. For tests and small lookup tables.",
  runtimes,
  settings: Schema.Struct({
    rows: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).annotate({
      description: "The rows, as objects."
    })
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen],
  example: {
    rows: [
      { city: "Brno", population: 402739 },
      { city: "Oslo", population: 717710 }
    ]
  },
  relation: ({ rows }) =>
    Array.isArray(rows) && rows.every(Predicate.isObject)
      ? { columns: [...new Set(rows.flatMap((row) => Object.keys(row)))] }
      : undefined,
  fields: ({ rows }) => ({ reads: [], gives: () => new Set(rows.flatMap((row) => namesIn(row))) }),
  start: ({ rows }) => ({
    run: async (emit) => {
      for (let at = 0; at < rows.length; at += batchRecords) await emit(chosen, rows.slice(at, at + batchRecords))
    }
  })
})
