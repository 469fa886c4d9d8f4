import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { componentOf, type Flowline } from "../../protocol/Flowline.ts"
import type { Expectation, FlowlineTest } from "../../protocol/FlowlineTests.ts"
import type { Sample, TrialReport } from "../../protocol/Trial.ts"

/** A difference with its path in the flowline. */
export interface Difference {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
  readonly expected?: unknown
  readonly found?: unknown
}

/** Maximum number of differences of a test: more say nothing new. */
const maxDifferences = 20

/** The samples that a test gives to the inputs. */
export const samplesOf = ({ given }: FlowlineTest): Readonly<Record<string, Sample>> =>
  Object.fromEntries(
    Object.entries(given).map(([component, list]): readonly [string, Sample] => {
      const lines = list.filter((item) => typeof item === "string")
      // A test with lines only is read like the input's own source, which may join several lines to a record.
      if (lines.length === list.length && lines.length > 0) {
        const text = lines.map((line) => `${line}\n`).join("")
        return [component, { base64: Base64.encode(new TextEncoder().encode(text)), encoding: "utf-8" }]
      }
      return [component, { records: list.map((item) => (typeof item === "string" ? { message: item } : item)) }]
    })
  )

const shown = (value: unknown): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

const difference = (path: ReadonlyArray<PropertyKey>, expected: unknown, found: unknown): Difference => ({
  path,
  detail: `Expected ${shown(expected)}, found ${shown(found)}`,
  ...(expected === undefined ? {} : { expected }),
  ...(found === undefined ? {} : { found })
})

/** The innermost differences of two values. Partial: objects may have more members than are expected. */
const compare = (
  expected: unknown,
  found: unknown,
  isExact: boolean,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Difference> => {
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [difference(path, expected, found)]
    return expected.flatMap((item, at) => compare(item, found[at], isExact, [...path, at]))
  }
  if (Predicate.isObject(expected) && Predicate.isObject(found)) {
    const members = Object.keys(expected).flatMap((name) =>
      compare(expected[name], Object.hasOwn(found, name) ? found[name] : undefined, isExact, [...path, name])
    )
    const others = isExact ? Object.keys(found).filter((name) => !Object.hasOwn(expected, name)) : []
    return [
      ...members,
      ...others.map((name) => ({
        path,
        detail: `Expected no ${JSON.stringify(name)}, found ${shown(found[name])}`,
        found: { [name]: found[name] }
      }))
    ]
  }
  return Object.is(expected, found) ? [] : [difference(path, expected, found)]
}

/** The streams that an expectation means, with their component: those of the node, or those that an output receives. */
const streamsOf = ({ dag }: Flowline, { at, stream }: Expectation) => {
  const node = dag.find((node) => componentOf(node) === at)
  const published = node?.publish.map(({ stream }) => stream).filter((name) => name !== "errors") ?? []
  if (node === undefined) return []
  if (published.length === 0 && stream === undefined) return node.subscribe
  return [{ component: at, stream: stream ?? published[0] ?? "" }]
}

const recordsIn = (report: TrialReport, wanted: ReadonlyArray<{ component: string; stream: string }>) => {
  const streams = wanted.flatMap(({ component, stream }) =>
    report.streams.filter((one) => one.component === component && one.stream === stream)
  )
  return {
    count: streams.reduce((sum, { count }) => sum + count, 0),
    records: streams.flatMap(({ records }) => records.map((text) => parseJson(text)))
  }
}

type Found = ReturnType<typeof recordsIn>

const compareList = (
  expected: ReadonlyArray<unknown>,
  found: Found,
  isExact: boolean,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Difference> => {
  const inner = expected.flatMap((record, at) =>
    at < found.records.length
      ? compare(record, found.records[at], isExact, [...path, at])
      : at < found.count
        ? [{ path: [...path, at], detail: "The records are too large to be compared: give fewer" }]
        : [difference([...path, at], record, undefined)]
  )
  if (found.count <= expected.length) return inner
  const more = found.count - expected.length
  const next = found.records[expected.length]
  const detail = `Expected ${expected.length} records, found ${more} more, the first of them ${shown(next)}`
  return [...inner, { path, detail, ...(next === undefined ? {} : { found: next }) }]
}

/** What a test found, by the report of its case. `index` is its place among the tests. */
export const differencesOf = (
  flowline: Flowline,
  test: FlowlineTest,
  index: number,
  report: TrialReport
): ReadonlyArray<Difference> =>
  test.expect
    .flatMap((expectation, at) => {
      const path = ["tests", index, "expect", at]
      const isExact = expectation.match === "exact"
      const found = recordsIn(report, streamsOf(flowline, expectation))
      const { records, rejected, count } = expectation
      return [
        ...(records === undefined ? [] : compareList(records, found, isExact, [...path, "records"])),
        ...(count === undefined || count === found.count ? [] : [difference([...path, "count"], count, found.count)]),
        ...(rejected === undefined
          ? []
          : compareList(rejected, recordsIn(report, [{ component: expectation.at, stream: "errors" }]), isExact, [
              ...path,
              "rejected"
            ]))
      ]
    })
    .slice(0, maxDifferences)
