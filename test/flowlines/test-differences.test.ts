import { expect, it } from "@effect/vitest"
import type { Flowline } from "../../src/protocol/Flowline.ts"
import type { Expectation } from "../../src/protocol/FlowlineTests.ts"
import type { TrialReport } from "../../src/protocol/Trial.ts"
import { differencesOf } from "../../src/services/flowlines/tries/TestDifferences.ts"
import { definition } from "./read.ts"

const { flowline }: { readonly flowline: Flowline } = definition(
  JSON.stringify({
    runtime: "stream",
    dag: [
      { type: "generator_input", settings: { messages: ["x"] }, publish: [{ stream: "out" }] },
      { type: "show", subscribe: [{ component: "generator_input", stream: "out" }] }
    ]
  }),
  "f.json"
)

const reportOf = (records: ReadonlyArray<string>): TrialReport => ({
  nodes: [],
  streams: [{ component: "generator_input", stream: "out", count: records.length, records }],
  printed: [],
  millis: 1
})

const differences = (report: TrialReport, ...expect: ReadonlyArray<Omit<Expectation, "at" | "match">>) => {
  const [first, ...others] = expect.map((one): Expectation => ({ at: "generator_input", match: "partial", ...one }))
  return differencesOf(flowline, { name: "t", given: {}, expect: [first!, ...others] }, 0, report)
}

it("the records of a test are read once, however many expectations are about them", () => {
  const list = Array.from({ length: 1000 }, (_, n) => n)
  const report = reportOf(Array.from({ length: 500 }, (_, n) => JSON.stringify({ n, list })))
  const all = { records: Array.from({ length: 500 }, () => ({})) }
  /** Processor time of this thread in microseconds. */
  const cost = (expectations: number): number => {
    const before = process.threadCpuUsage()
    expect(differences(report, ...Array.from({ length: expectations }, () => all))).toEqual([])
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  cost(1)
  expect(cost(100)).toBeLessThan(20 * Math.max(cost(1), 10_000))
  // Records that are only counted are not read.
  expect(differences(reportOf(["not JSON"]), { count: 1 })).toEqual([])
})

it("long values are left out of differences, of which there are at most 20", () => {
  const long = { text: "x".repeat(20_000), list: Array.from({ length: 5000 }, (_, n) => n) }
  const report = reportOf([JSON.stringify({ ...long, n: 1 }), '"not looked at"'])
  const [text, listed, number, more] = differences(report, { records: [{ text: "short", list: [], n: 2 }] })
  expect(text).toMatchObject({ expected: "short", detail: expect.stringMatching(/^Expected "short", found "x{199}…$/) })
  expect(text).not.toHaveProperty("found")
  expect(listed).toMatchObject({ expected: [], detail: expect.stringContaining("found [0,1,2,") })
  expect(listed).not.toHaveProperty("found")
  expect(number).toMatchObject({ expected: 2, found: 1, detail: "Expected 2, found 1" })
  expect(more).toMatchObject({ found: "not looked at" })
  const counts = Array.from({ length: 100 }, () => ({ count: 3 }))
  expect(differences(report, ...counts)).toHaveLength(20)
})
