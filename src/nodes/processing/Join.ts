import { Schema } from "effect"
import { durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { predicate } from "../../languages/expression/Compile.ts"
import { fieldPath, getPath, mayBeElement } from "../../languages/FieldPath.ts"
import { dotted, named, namedIn, whereFaults, withFields } from "../FieldUse.ts"
import { chosen, type Emit, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { keyReader } from "../records/RecordKey.ts"
import { sizeOf } from "../records/RecordSize.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName } from "../settings/SettingTexts.ts"
import { timeOf } from "../time/EventTime.ts"
import { Side, type WaitingRecord } from "./join/Side.ts"
import { inTheWay, mergeInto } from "./ParsingNode.ts"

/** The stream of the records without a partner. */
const unmatched = "unmatched"

const part = (description: string) =>
  Schema.Struct({
    where: Schema.String.annotate({
      description: "Expression, as in `filter`, that is true for records of this side."
    }),
    key: Schema.NonEmptyArray(Schema.NonEmptyString).annotate({ description: "Fields of the key." })
  }).annotate({ description })

const settings = Schema.Struct({
  left: part("Which records are those of the left side (`where`), and the fields that are compared (`key`)."),
  right: part("The same for the right side. A record of both sides is one of the left."),
  kind: Schema.Literals(["inner", "left"]).pipe(
    withDefault(
      "inner",
      "`inner`: only pairs are published. `left`: also the left records without a partner, as they are."
    )
  ),
  window: PositiveDuration.annotate({ description: "Maximum difference of the times of a pair, for example `5m`." }),
  time_field: Schema.NonEmptyString.pipe(
    withDefault("@timestamp", "Field with the record's time: ISO 8601 or epoch milliseconds.")
  ),
  target: FieldName.check(Schema.isNonEmpty()).pipe(
    withDefault("right", "Field of the left record that receives the right one.")
  ),
  max_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 68_719_476_736 })).pipe(
    withDefault(
      134_217_728,
      "Maximum memory of the waiting records in bytes, as estimated; beyond it the oldest stop waiting."
    )
  )
})
type Settings = typeof settings.Type

const check = ({ left, right }: Settings): ReadonlyArray<SettingsIssue> => [
  ...whereFaults(left.where, ["left", "where"]),
  ...whereFaults(right.where, ["right", "where"]),
  ...(left.key.length === right.key.length
    ? []
    : [{ path: ["right", "key"], detail: "Both keys need the same number of fields" }])
]

/** Bytes of a waiting record besides the record. */
const waitingBytes = 150

const partOf = ({ where, key }: Settings["left"]) => ({
  holds: predicate(where),
  keyOf: keyReader(key),
  key,
  side: new Side()
})
type Part = ReturnType<typeof partOf>

export const join = node({
  type: "join",
  kind: "processing",
  description:
    "Joins the records of two sides whose keys are equal and whose times are near. A record waits until the other side " +
    "is later than it by the window, as far as its records come in order of time. Records that find no partner go to the " +
    "stream `unmatched`. What waits is in memory, and lost when the run is killed.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [chosen, unmatched, errors],
  example: {
    left: { where: 'kind == "request"', key: ["id"] },
    right: { where: 'kind == "response"', key: ["id"] },
    window: "1m",
    target: "response"
  },
  check,
  hints: (_, live) =>
    live.map((component) => `records of ${component} that wait for a partner are lost when the run is killed`),
  fields: ({ left, right, time_field, target }) => ({
    reads: [
      ...namedIn(left.where, ["left", "where"]),
      ...named(left.key, ["left", "key"]),
      ...namedIn(right.where, ["right", "where"]),
      ...named(right.key, ["right", "key"]),
      ...named(time_field, ["time_field"])
    ],
    gives: (known) => withFields(known, [dotted(target)])
  }),
  start: (given, context) => {
    const window = durationMillis(given.window)
    const time = fieldPath(given.time_field)
    const put = mergeInto(given.target)
    const mayRefuse = mayBeElement(fieldPath(given.target))
    const left = partOf(given.left)
    const right = partOf(given.right)
    const failures = new Failures(context)
    let pairs: Array<Event> = []
    let alone: Array<Event> = []

    const send = async (emit: Emit) => {
      const [joined, others] = [pairs, alone]
      pairs = []
      alone = []
      await emit(chosen, joined)
      await emit(unmatched, others)
    }
    const leave = (one: WaitingRecord | undefined, from: Part) => {
      if (one === undefined || one.isMatched) return
      if (from === left && given.kind === "left") pairs.push(one.event)
      else alone.push(one.event)
    }
    /**
     * Takes out the records that can have no partner any more: those that the other side has passed, and the oldest
     * ones beyond the bound.
     */
    const release = () => {
      for (const [own, other] of [
        [left, right],
        [right, left]
      ] as const) {
        const isOver = () => own.side.first !== undefined && own.side.first.millis + window < other.side.latest
        while (isOver()) leave(own.side.shift(), own)
      }
      while (left.side.bytes + right.side.bytes > given.max_bytes) {
        const [a, b] = [left.side.first?.millis ?? Number.POSITIVE_INFINITY, right.side.first?.millis]
        const from = b === undefined || a <= b ? left : right
        leave(from.side.shift(), from)
      }
    }
    const take = async (event: Event, emit: Emit): Promise<string | undefined> => {
      const own = left.holds(event) ? left : right.holds(event) ? right : undefined
      if (own === undefined) return "the record is one of neither side"
      const key = own.keyOf(event)
      if (key === undefined) return `a field of the key is missing: ${own.key.join(", ")}`
      const millis = timeOf(getPath(event, time))
      if (Number.isNaN(millis)) return `the field ${given.time_field} is not a time`
      if (mayRefuse && own === left && put(event, {}) === undefined) return inTheWay(given.target)
      const waiting = { event, key, millis, bytes: sizeOf(event) + waitingBytes, isMatched: false }
      const other = own === left ? right : left
      for (const partner of other.side.of(key)) {
        if (Math.abs(partner.millis - millis) > window) continue
        partner.isMatched = true
        waiting.isMatched = true
        const [one, two] = own === left ? [event, partner.event] : [partner.event, event]
        pairs.push(put(one, two)!)
        if (pairs.length >= batchRecords) await send(emit)
      }
      own.side.latest = Math.max(own.side.latest, millis)
      own.side.add(waiting)
      release()
      return undefined
    }
    return {
      process: async (batch, emit) => {
        for (const event of batch) {
          const reason = await take(event, emit)
          if (reason !== undefined) failures.add(event, reason)
        }
        await send(emit)
        await failures.send(emit)
      },
      end: async (emit) => {
        for (const from of [left, right]) {
          while (from.side.first !== undefined) {
            leave(from.side.shift(), from)
            if (pairs.length + alone.length >= batchRecords) await send(emit)
          }
        }
        await send(emit)
      }
    }
  }
})
