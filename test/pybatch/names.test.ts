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

describe.skipIf(!hasPython)("files of Python nodes", () => {
  it.effect("may have the names of Python's own modules, which stay what they are for everybody else", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* within(
        chain([
          { type: "dataset_generator", settings: { rows: [{}] } },
          { type: "of_json" },
          { type: "of_rows" },
          { type: "of_queue" },
          { type: "show" }
        ]),
        {
          "nodes/json.py": node("OfJson", "a")
            .replace("import json", "import json, helpers")
            .replace("json.d", "helpers.d"),
          "nodes/rows.py": node("OfRows", "b"),
          "nodes/queue.py": node("OfQueue", "c"),
          "nodes/helpers.py": "from json import dumps\n"
        }
      )
      expect(failure).toBeUndefined()
      expect(printed).toEqual(['{"a":"[1]","b":"[1]","c":"[1]"}'])
    })
  )
})
