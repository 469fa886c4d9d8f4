import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chain, hasPython, within } from "./support.ts"

const node = (className: string, field: string) => `
from flow import Node
import json
class ${className}(Node):
    """Marks."""
    def execute(self, rows):
        for row in rows:
            yield {**row, "${field}": json.dumps([1])}
`

describe.skipIf(!hasPython)("an exception of a node", () => {
  it.effect("fails the run at once, also when it cannot say what it is", () =>
    Effect.gen(function* () {
      for (const said of ["return None", "raise KeyError('x')"]) {
        const { failure } = yield* within(
          chain([{ type: "dataset_generator", settings: { rows: [{}] } }, { type: "odd" }, { type: "show" }]),
          {
            "nodes/odd.py": `
from flow import Node
class Silent(Exception):
    def __str__(self):
        ${said}
class Odd(Node):
    """Fails."""
    def execute(self, rows):
        raise Silent()
        yield
`
          }
        )
        expect(failure?.error).toMatch(/Silent\n {2}nodes\/odd.py, line 9, in execute/)
      }
    })
  )
})

describe.skipIf(!hasPython)("files of Python nodes", () => {
  it.effect("may have the names of Python's own modules, which stay what they are for everybody else", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* within(
        chain([
          { type: "dataset_generator", settings: { rows: [{}] } },
          { type: "of_json" },
          { type: "of_rows" },
          { type: "of_printed" },
          { type: "of_queue" },
          { type: "show" }
        ]),
        {
          "nodes/json.py": node("OfJson", "a")
            .replace("import json", "import json, helpers")
            .replace("json.d", "helpers.d"),
          "nodes/rows.py": node("OfRows", "b"),
          "nodes/printed.py": node("OfPrinted", "d"),
          "nodes/queue.py": node("OfQueue", "c"),
          "nodes/helpers.py": "from json import dumps\n"
        }
      )
      expect(failure).toBeUndefined()
      expect(printed).toEqual(['{"a":"[1]","b":"[1]","d":"[1]","c":"[1]"}'])
    })
  )
})
