import { Schema } from "effect"

/** What an input of a tried flowline emits in place of what it reads. */
export const Sample = Schema.Union([
  /** Bytes of a text in Base64, which the input reads as it reads its own source, or in this encoding. */
  Schema.Struct({ base64: Schema.String, encoding: Schema.optionalKey(Schema.Literal("utf-8")) }),
  Schema.Struct({ records: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
])
export type Sample = typeof Sample.Type

/** One try: its inputs give samples, its outputs only take, and it says what each node made of them. */
export interface TrialCase {
  /** By component. */
  readonly samples: Readonly<Record<string, Sample>>
  /** How many records the other inputs read of their own sources; 0 for none. */
  readonly first: number
  /** How many records of each stream are shown, and how many bytes of JSON all of them may have. */
  readonly records: number
  readonly bytes: number
}

/** The sample of an input, if it has one. Components may have any name, such as those of members of all objects. */
export const sampleOf = ({ samples }: Pick<TrialCase, "samples">, component: string): Sample | undefined =>
  Object.hasOwn(samples, component) ? samples[component] : undefined

/** Makes a run a trial: the cases one after the other, in `millis` in all. */
export interface Trial {
  readonly cases: ReadonlyArray<TrialCase>
  readonly millis: number
}

/** A stream of a node. A node that fails records has `errors`, whether the flowline publishes it or not. */
const TriedStream = Schema.Struct({
  component: Schema.String,
  stream: Schema.String,
  /** The number of records that it carried. */
  count: Schema.Int,
  /** The first ones, as JSON texts. */
  records: Schema.Array(Schema.String)
})

export const TriedNode = Schema.Struct({
  component: Schema.String,
  recordsIn: Schema.Int,
  recordsOut: Schema.Int,
  /** Time in the node, without the nodes after it. */
  micros: Schema.optionalKey(Schema.Int),
  /** Failures without a failed record, with their reasons. */
  lost: Schema.optionalKey(Schema.Struct({ count: Schema.Int, reasons: Schema.Array(Schema.String) })),
  /** Records that came in and of which nothing went out; absent where records are made of several others. */
  dropped: Schema.optionalKey(Schema.Struct({ count: Schema.Int, records: Schema.Array(Schema.String) })),
  /** The settings, as paths in them, that matched no record, although others of their list were tried. */
  unmatched: Schema.optionalKey(
    Schema.Array(Schema.Struct({ path: Schema.Array(Schema.Union([Schema.String, Schema.Int])), text: Schema.String }))
  ),
  /** Whether the records of a real input went on behind the first ones. */
  more: Schema.optionalKey(Schema.Boolean)
})
export type TriedNode = typeof TriedNode.Type

/** The findings of a case, up to the failure if its run failed. */
export const TrialReport = Schema.Struct({
  nodes: Schema.Array(TriedNode),
  streams: Schema.Array(TriedStream),
  /** What nodes have printed. */
  printed: Schema.Array(Schema.Struct({ component: Schema.String, text: Schema.String })),
  millis: Schema.Finite,
  /** Why the run failed, and where. */
  error: Schema.optionalKey(Schema.String),
  component: Schema.optionalKey(Schema.String)
})
export type TrialReport = typeof TrialReport.Type
