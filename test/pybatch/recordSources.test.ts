import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chain, hasPython, within } from "./support.ts"

describe.skipIf(!hasPython)("a Python node", () => {
  it.effect("passes on where a record is from, also of those that it rejects", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* within(
        chain([
          { type: "file_input", settings: { path: "a.log", source: true } },
          { type: "odd", publish: [{ stream: "out" }, { stream: "errors" }] },
          { type: "show", subscribe: ["out", "errors"].map((stream) => ({ component: "odd", stream })) }
        ]),
        {
          "a.log": "1\n2\n3\n",
          "nodes/n.py": `
from flow import Node
class Odd(Node):
    def execute(self, rows):
        for row in rows:
            if int(row["message"]) % 2 == 1:
                yield row
            else:
                self.reject(row, "even")
`
        }
      )
      expect(failure).toBeUndefined()
      const lines = printed.map((line) => JSON.parse(line)).toSorted((a, b) => a.message - b.message)
      expect(lines.map(({ _source, error }) => [_source, error?.reason])).toEqual([
        [{ file: "a.log", line: 1, offset: 0 }, undefined],
        [{ file: "a.log", line: 2, offset: 2 }, "even"],
        [{ file: "a.log", line: 3, offset: 4 }, undefined]
      ])
    })
  )
})
