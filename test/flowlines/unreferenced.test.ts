import { expect, it } from "@effect/vitest"
import { unreferenced } from "../../src/services/flowlines/tries/Unreferenced.ts"
import { definition } from "./read.ts"

const subscribe = (component: string) => [{ component, stream: "out" }]
const publish = [{ stream: "out" }]

/** A node that makes fields, with a chain of nodes after it in reversed order. */
const chain = (length: number, settings: object) =>
  definition(
    JSON.stringify({
      runtime: "stream",
      dag: [
        ...Array.from({ length }, (_, n) => ({
          type: "filter",
          component: `n${length - n}`,
          settings,
          subscribe: subscribe(`n${length - n - 1}`),
          publish
        })),
        { type: "generator_input", component: "n0", settings: { messages: ["x"] }, publish },
        {
          type: "file_output",
          component: "last",
          settings: { path: "x.csv", format: "csv", columns: ["a"] },
          subscribe: subscribe(`n${length}`)
        }
      ]
    }),
    "f.json"
  ).flowline

const edge = (from: string, record: Record<string, unknown>) => ({
  from,
  stream: "out",
  to: [],
  count: 1,
  cut: false,
  records: [record]
})

it("fields count as used where a setting names them as a whole", () => {
  const flowline = chain(1, { where: "status > 1 and kind == 'user-name'" })
  const record = { "user-name": "x", "user name": "x", status: 2, stat: 1, user: 1, a: 1, "a.b": 1 }
  expect(unreferenced(flowline, [edge("n0", record)]).map(({ field }) => field)).toEqual(["user name", "stat", "a.b"])
})

it("records with very many fields cost no more than a look at each node and each field", () => {
  const flowline = chain(100, { where: "status > 1" })
  const record = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`x-${n}`, n]))
  /** Processor time of this thread in microseconds. */
  const cost = (fields: number): number => {
    const before = process.threadCpuUsage()
    expect(unreferenced(flowline, [edge("n0", record(fields))])).toHaveLength(Math.min(200, fields))
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  cost(10)
  expect(cost(20_000)).toBeLessThan(100 * Math.max(cost(10), 10_000))
})
