import { Schema } from "effect"
import { Duration, durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { type Fields, fieldPath, getPath, mayBeElement, partOf, setPath } from "../../languages/FieldPath.ts"
import { dotted, named } from "../FieldUse.ts"
import { chosen, type Emit, type Event, errors, node } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName, fieldsOf } from "../settings/SettingTexts.ts"
import { timeOf } from "../time/EventTime.ts"
import { type Metric, type MetricKind, metrics } from "./aggregate/Metrics.ts"
import { type Group, type Window, Windows } from "./aggregate/Windows.ts"

/** Maximum number of windows that a record may belong to. */
const maxOverlap = 1000

const settings = Schema.Struct({
  window: PositiveDuration.annotate({ description: "Length of a window in event time, for example `5m`." }),
  slide: Schema.optionalKey(
    PositiveDuration.annotate({
      description: "Time between the starts of windows. Default: the length, so that windows do not overlap."
    })
  ),
  time_field: Schema.String.check(Schema.isNonEmpty()).pipe(
    withDefault("@timestamp", "Field with the event's time: ISO 8601 or epoch milliseconds.")
  ),
  allowed_lateness: Duration.pipe(
    withDefault("0s", "Maximum lateness: how much earlier than the latest time so far a counted record may be.")
  ),
  group_by: Schema.Array(FieldName.check(Schema.isNonEmpty())).pipe(
    withDefault(
      [],
      "Fields to group by; each combination of values is a group. An element such as `[tags][0]` is in a list in the " +
        "results, `{tags: [value]}`, and is left out where there is none."
    )
  ),
  metrics: fieldsOf(
    Schema.Struct({
      type: Schema.Literals(Object.keys(metrics) as [MetricKind, ...Array<MetricKind>]).annotate({
        description: "Function to compute."
      }),
      field: Schema.optionalKey(
        Schema.String.annotate({ description: "Field to compute it of; not needed for `count`." })
      )
    })
  ).annotate({
    description:
      "Fields of the results, each with its function, `type`, and the `field` that it takes: `count` (of records, or of those " +
      "that have the field), `sum`, `avg`, `min`, `max`, `distinct` (number of different values, at most 100 000 in a " +
      "group), `first`, `last`. Numbers may be texts."
  }),
  max_groups: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })).pipe(
    withDefault(
      100_000,
      "Maximum number of groups in all open windows; records that would add one more fail. A group takes about 400 bytes of the " +
        "run's memory, more with several metrics."
    )
  )
})
type Settings = typeof settings.Type

const check = ({ window, slide, metrics }: Settings) => {
  const issues: Array<{ readonly path: ReadonlyArray<string | number>; readonly detail: string }> = []
  const [size, step] = [durationMillis(window), durationMillis(slide ?? window)]
  if (step > size) {
    issues.push({ path: ["slide"], detail: "Expected a duration up to the window's" })
  } else if (size / step > maxOverlap) {
    issues.push({ path: ["slide"], detail: `A record would belong to more than ${maxOverlap} windows` })
  }
  for (const [name, { type, field }] of Object.entries(metrics)) {
    if (type !== "count" && field === undefined)
      issues.push({ path: ["metrics", name], detail: `${type} needs a field` })
  }
  return issues
}

export const aggregate = node({
  type: "aggregate",
  kind: "processing",
  description:
    "Aggregates records in windows of event time. A window's results are published when a record is later than its end " +
    "by the allowed lateness, or when the run ends: `{window: {start, end}, …groups, …metrics}`. Records that arrive later " +
    "fail. Integers are summed exactly.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [chosen, errors],
  example: {
    window: "5m",
    group_by: ["response"],
    metrics: { requests: { type: "count" }, bytes: { type: "sum", field: "bytes" } }
  },
  check,
  fields: ({ time_field, group_by, metrics }) => ({
    reads: [
      ...named(time_field, ["time_field"]),
      ...named(group_by, ["group_by"]),
      ...Object.entries(metrics).flatMap(([name, { field }]) => named(field, ["metrics", name, "field"]))
    ],
    gives: () => new Set(["window", ...group_by.map(dotted), ...Object.keys(metrics).map(dotted)])
  }),
  start: (given, context) => {
    const { group_by, max_groups, time_field } = given
    const failures = new Failures(context)
    const size = durationMillis(given.window)
    const windows = new Windows<ReadonlyArray<Metric>>(
      size,
      durationMillis(given.slide ?? given.window),
      durationMillis(given.allowed_lateness)
    )
    const time = fieldPath(time_field)
    const groups = group_by.map(fieldPath)
    const elements = groups.filter(mayBeElement)
    const elementsOf = (event: Event) =>
      elements.length === 0 ? undefined : (partOf(event, elements) as Fields | undefined)
    const results = Object.entries(given.metrics).map(([name, { type, field }]) => ({
      name: fieldPath(name),
      field,
      path: field === undefined ? undefined : fieldPath(field),
      make: metrics[type]
    }))

    const rowOf = (window: Window<ReadonlyArray<Metric>>, group: Group<ReadonlyArray<Metric>>): Event => {
      const { values, elements, state } = group
      const [start, end] = [window.start, window.end].map((millis) => new Date(millis).toISOString())
      const row: Fields = { window: { start: start!, end: end! }, ...elements }
      for (const [at, path] of groups.entries()) if (!mayBeElement(path)) setPath(row, path, values[at] ?? null)
      for (const [at, { name }] of results.entries()) setPath(row, name, state[at]!.result())
      return row
    }
    let made: Array<Event> = []
    const send = async (emit: Emit): Promise<void> => {
      const rows = made
      made = []
      await emit(chosen, rows)
    }
    /** Publishes a window's results in batches; it may have more groups than one batch holds. */
    const finish = async (window: Window<ReadonlyArray<Metric>>, emit: Emit): Promise<void> => {
      for (const group of window.groups.values()) {
        made.push(rowOf(window, group))
        if (made.length >= batchRecords) await send(emit)
      }
    }

    /** Counts the record, or returns why it cannot be counted. */
    const take = (event: Event, millis: number): string | undefined => {
      const open = windows.at(millis)
      if (open.length === 0) return `the record arrived too late for its window: ${new Date(millis).toISOString()}`
      const values = groups.map((path) => getPath(event, path) ?? null)
      const key = JSON.stringify(values)
      const given = results.map(({ path }) => (path === undefined ? true : getPath(event, path)))
      const known = open.map((window) => window.groups.get(key))
      const missing = known.filter((group) => group === undefined).length
      if (windows.groups + missing > max_groups) return `there are more than ${max_groups} groups in the open windows`
      for (const [at, { field, make }] of results.entries()) {
        const states = known.flatMap((group) => group?.state[at] ?? [])
        for (const metric of states.length > 0 ? states : [make()]) {
          const refused = metric.refuses(given[at])
          if (refused !== undefined) return `the field ${field} ${refused}`
        }
      }
      for (const [at, window] of open.entries()) {
        let group = known[at]
        if (group === undefined) {
          group = { values, elements: elementsOf(event), state: results.map(({ make }) => make()) }
          windows.add(window, key, group)
        }
        for (const [at, metric] of group.state.entries()) metric.add(given[at])
      }
      return undefined
    }

    return {
      process: async (batch, emit) => {
        for (const event of batch) {
          const millis = timeOf(getPath(event, time))
          if (!Number.isFinite(millis) || Math.abs(millis) > 8.64e15 - size) {
            failures.add(event, `the field ${time_field} is not a time`)
            continue
          }
          const reason = take(event, millis)
          if (reason !== undefined) failures.add(event, reason)
          windows.advance(millis)
          for (let window = windows.close(); window !== undefined; window = windows.close()) await finish(window, emit)
        }
        await send(emit)
        await failures.send(emit)
      },
      end: async (emit) => {
        for (let window = windows.close(true); window !== undefined; window = windows.close(true)) {
          await finish(window, emit)
        }
        await send(emit)
      }
    }
  }
})
