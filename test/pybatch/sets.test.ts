import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chain, hasPython, within } from "./support.ts"

describe.skipIf(!hasPython)("a set in a row", () => {
  it.effect("is a sorted array: numbers by size, texts, and then others", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* within(
        chain([{ type: "dataset_generator", settings: { rows: [{}] } }, { type: "sets" }, { type: "show" }]),
        {
          "nodes/sets.py": `
from decimal import Decimal
from flow import Node
class Sets(Node):
    """Makes sets."""
    def execute(self, rows):
        for row in rows:
            yield {
                "numbers": {10, 9, -1, 2.5, Decimal("3")},
                "texts": {"b", "it's", "a", "Z", 'q"'},
                "mixed": {None, "a", 10, (2, 1), 9, float("nan")},
            }
`
        }
      )
      expect(failure).toBeUndefined()
      expect(printed.map((line) => JSON.parse(line))).toEqual([
        {
          numbers: [-1, 2.5, "3", 9, 10],
          texts: ["Z", "a", "b", "it's", 'q"'],
          mixed: [9, 10, "a", [2, 1], null, "NaN"]
        }
      ])
    })
  )
})
