import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import { parseJson } from "../../../languages/json/JsonValue.ts"
import { componentOf, type Flowline } from "../../../protocol/Flowline.ts"
import type { Expectation, FlowlineTest } from "../../../protocol/FlowlineTests.ts"
import type { Sample, TrialReport } from "../../../protocol/Trial.ts"

type Path = ReadonlyArray<PropertyKey>

/** A difference with its path in the flowline. Long values are left out. */
interface Difference {
  readonly path: Path
  readonly detail: string
  readonly expected?: unknown
  readonly found?: unknown
}

/** Maximum number of differences of a test: more say nothing new. */
const maxDifferences = 20
/** Characters of JSON up to which a value stands in a difference. */
const mostShown = 10_000

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

/** A value as differences show it: the beginning of its JSON, and the value itself unless it is long. */
interface Shown {
  readonly text: string
  readonly value: unknown
}

const shownOf = (value: unknown): Shown => {
  if (value === undefined) return { text: "nothing", value }
  const isLong = typeof value === "string" && value.length > mostShown
  const text = JSON.stringify(isLong ? value.slice(0, mostShown) : value)
  return {
    text: text.length > 200 ? `${text.slice(0, 200)}…` : text,
    value: text.length > mostShown ? undefined : value
  }
}

/** Compares what one test expects with what its run gave. */
class Comparison {
  /** By their JSON: many expectations may be about the same records, which may be megabytes. */
  readonly #records = new Map<string, unknown>()
  readonly #shown = new WeakMap<object, Shown>()

  record(text: string | undefined): unknown {
    if (text === undefined) return undefined
    if (!this.#records.has(text)) this.#records.set(text, parseJson(text))
    return this.#records.get(text)
  }

  shown(value: unknown): Shown {
    if (!Predicate.isObjectOrArray(value)) return shownOf(value)
    const known = this.#shown.get(value) ?? shownOf(value)
    this.#shown.set(value, known)
    return known
  }

  difference(path: Path, expected: unknown, found: unknown): Difference {
    const [one, other] = [this.shown(expected), this.shown(found)]
    return {
      path,
      detail: `Expected ${one.text}, found ${other.text}`,
      ...(one.value === undefined ? {} : { expected: one.value }),
      ...(other.value === undefined ? {} : { found: other.value })
    }
  }

  /** The innermost differences of two values. Partial: objects may have more members than are expected. */
  *values(expected: unknown, found: unknown, isExact: boolean, path: Path): Generator<Difference> {
    if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
      for (const [at, item] of expected.entries()) yield* this.values(item, found[at], isExact, [...path, at])
    } else if (Predicate.isObject(expected) && Predicate.isObject(found)) {
      for (const name of Object.keys(expected)) {
        const own = Object.hasOwn(found, name) ? found[name] : undefined
        yield* this.values(expected[name], own, isExact, [...path, name])
      }
      const others = isExact ? Object.keys(found).filter((name) => !Object.hasOwn(expected, name)) : []
      for (const name of others) {
        const { text, value } = this.shown(found[name])
        const detail = `Expected no ${JSON.stringify(name)}, found ${text}`
        yield { path, detail, ...(value === undefined ? {} : { found: { [name]: value } }) }
      }
    } else if (!Object.is(expected, found)) yield this.difference(path, expected, found)
  }

  *list(expected: ReadonlyArray<unknown>, found: Found, isExact: boolean, path: Path): Generator<Difference> {
    for (const [at, record] of expected.entries()) {
      const own = [...path, at]
      if (at < found.texts.length) yield* this.values(record, this.record(found.texts[at]), isExact, own)
      else if (at >= found.count) yield this.difference(own, record, undefined)
      else yield { path: own, detail: "The records are too large to be compared: give fewer" }
    }
    if (found.count <= expected.length) return
    const more = found.count - expected.length
    const { text, value } = this.shown(this.record(found.texts[expected.length]))
    const detail = `Expected ${expected.length} records, found ${more} more, the first of them ${text}`
    yield { path, detail, ...(value === undefined ? {} : { found: value }) }
  }
}

/** The streams that an expectation means, with their component: those of the node, or those that an output receives. */
const streamsOf = ({ dag }: Flowline, { at, stream }: Expectation) => {
  const node = dag.find((node) => componentOf(node) === at)
  const published = node?.publish.map(({ stream }) => stream).filter((name) => name !== "errors") ?? []
  if (node === undefined) return []
  if (published.length === 0 && stream === undefined) return node.subscribe
  return [{ component: at, stream: stream ?? published[0] ?? "" }]
}

/** The records of streams, the first ones as JSON texts. */
interface Found {
  readonly count: number
  readonly texts: ReadonlyArray<string>
}

const recordsIn = (
  report: TrialReport,
  wanted: ReadonlyArray<{ readonly component: string; readonly stream: string }>
): Found => {
  const streams = wanted.flatMap(({ component, stream }) =>
    report.streams.filter((one) => one.component === component && one.stream === stream)
  )
  return {
    count: streams.reduce((sum, { count }) => sum + count, 0),
    texts: streams.flatMap(({ records }) => records)
  }
}

function* allDifferences(flowline: Flowline, test: FlowlineTest, index: number, report: TrialReport) {
  const comparison = new Comparison()
  for (const [at, expectation] of test.expect.entries()) {
    const path = ["tests", index, "expect", at]
    const isExact = expectation.match === "exact"
    const found = recordsIn(report, streamsOf(flowline, expectation))
    const { records, rejected, count } = expectation
    if (records !== undefined) yield* comparison.list(records, found, isExact, [...path, "records"])
    if (count !== undefined && count !== found.count) {
      yield comparison.difference([...path, "count"], count, found.count)
    }
    if (rejected === undefined) continue
    const failed = recordsIn(report, [{ component: expectation.at, stream: "errors" }])
    yield* comparison.list(rejected, failed, isExact, [...path, "rejected"])
  }
}

/** What a test found, by the report of its case. `index` is its place among the tests. */
export const differencesOf = (
  flowline: Flowline,
  test: FlowlineTest,
  index: number,
  report: TrialReport
): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  // Stops early: a test may have as many differences as its records have values.
  for (const difference of allDifferences(flowline, test, index, report)) {
    found.push(difference)
    if (found.length === maxDifferences) break
  }
  return found
}
