import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ended, printed } from "../engine/support.ts"
import { chain, hasPython, run, within } from "./support.ts"

const generator = (rows: ReadonlyArray<unknown>) => ({ type: "dataset_generator", settings: { rows } })
const counters = (messages: Parameters<typeof printed>[0]) => {
  const last = messages.findLast((message) => message._tag === "Counters")
  return Object.fromEntries(
    (last?._tag === "Counters" ? last.nodes : []).map((it) => [it.component, [it.recordsIn, it.recordsOut, it.errors]])
  )
}

describe.skipIf(!hasPython)("a Python batch flowline", () => {
  it.effect("runs its nodes over the rows, in one process, one after the other", () =>
    Effect.gen(function* () {
      const { messages } = yield* run(
        chain([
          generator([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]),
          { type: "double", settings: { factor: 10 } },
          { type: "only_large", settings: { least: 20 } },
          { type: "show" }
        ]),
        {
          "nodes/double.py": `
from flow import Node
import os
import helpers

class Double(Node):
    """Multiplies."""
    factor: int = 2
    def execute(self, rows):
        print("started in", "one" if helpers.process() == os.getpid() else "another", "process")
        for row in rows:
            yield {**row, "n": row["n"] * self.factor}
`,
          "nodes/helpers.py": "import os\nfirst = os.getpid()\ndef process():\n    return first\n",
          "nodes/large.py": `
import flow
class OnlyLarge(flow.Node):
    """Keeps large ones."""
    least: int
    def execute(self, rows):
        return [row for row in rows if row["n"] >= self.least]
`
        }
      )
      expect(ended(messages)).toMatchObject({ outcome: "succeeded" })
      expect(printed(messages).toSorted()).toEqual(
        ["started in one process", '{"n":20}', '{"n":30}', '{"n":40}'].toSorted()
      )
      expect(counters(messages)).toEqual({
        dataset_generator: [0, 4, 0],
        double: [4, 4, 0],
        only_large: [4, 3, 0],
        show: [3, 0, 0]
      })
    })
  )

  it.effect("reads files and writes files and the archive, many rows through several nodes in flat memory", () =>
    Effect.gen(function* () {
      const count = 10_000
      const { messages, data } = yield* run(
        chain([
          { type: "file_input", settings: { path: "in/*.ndjson" } },
          { type: "mark", component: "a" },
          { type: "mark", component: "b" },
          { type: "file_output", settings: { path: "out.ndjson" } }
        ]),
        {
          "in/1.ndjson": Array.from({ length: count }, (_, n) => `{"n":${n}}\n`).join(""),
          "nodes/mark.py": `
from flow import Node
class Mark(Node):
    def execute(self, rows):
        for row in rows:
            row["marks"] = row.get("marks", 0) + 1
            yield row
`
        }
      )
      expect(ended(messages)).toMatchObject({ outcome: "succeeded" })
      const lines = readFileSync(join(data, "out.ndjson"), "utf8").trimEnd().split("\n")
      expect(lines.length).toBe(count)
      expect([lines[0], lines.at(-1)]).toEqual(['{"n":0,"marks":2}', `{"n":${count - 1},"marks":2}`])
      expect(counters(messages)["b"]).toEqual([count, count, 0])
    })
  )

  it.effect("gives every subscriber rows of its own, and joins what several nodes send", () =>
    Effect.gen(function* () {
      const to = (component: string) => [{ component, stream: "out" }]
      const { failure, printed } = yield* within(
        chain([
          generator([{ n: 1, in: { deep: [1] } }]),
          { type: "same" },
          { type: "spoil", component: "x", settings: { name: "x" }, subscribe: to("same") },
          { type: "spoil", component: "y", settings: { name: "y" }, subscribe: to("same") },
          { type: "same", component: "joined", subscribe: [...to("x"), ...to("y"), ...to("dataset_generator")] },
          { type: "show", subscribe: [...to("joined"), ...to("same")] }
        ]),
        {
          "nodes/n.py": `
from flow import Node
class Same(Node):
    def execute(self, rows):
        yield from rows
class Spoil(Node):
    name: str
    def execute(self, rows):
        for row in rows:
            row["in"]["deep"].append(self.name)
            yield row
`
        }
      )
      expect(failure).toBeUndefined()
      expect(printed.toSorted()).toEqual([
        '{"n":1,"in":{"deep":[1,"x"]}}',
        '{"n":1,"in":{"deep":[1,"y"]}}',
        '{"n":1,"in":{"deep":[1]}}',
        '{"n":1,"in":{"deep":[1]}}'
      ])
    })
  )

  it.effect("keeps every value on its way out", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* within(
        chain([generator([{ big: "9007199254740993" }]), { type: "odd" }, { type: "show" }]),
        {
          "nodes/odd.py": `
from flow import Node
import datetime, decimal, math
class Odd(Node):
    def execute(self, rows):
        for row in rows:
            row["big"] = int(row["big"])
            row["small"] = 2**53 - 1
            row["floats"] = [math.nan, math.inf, -math.inf, 0.1, 1e300]
            row["time"] = datetime.datetime(2026, 1, 2, 3, 4, 5, 6000, datetime.timezone(datetime.timedelta(hours=1)))
            row["day"] = datetime.date(2026, 1, 2)
            row["money"] = decimal.Decimal("1234567890.123456789012345678901234567890")
            row["bytes"] = b"\\xff\\x00"
            row["set"] = {3, 1, 2}
            row["text"] = "é\\u2028\\ud83d\\ude00\\x00"
            row[5] = (1, None, True)
            row["__proto__"] = {"a": 1}
            yield row
`
        }
      )
      expect(failure).toBeUndefined()
      expect(JSON.parse(printed[0]!)).toEqual(
        JSON.parse(`{"big":"9007199254740993","small":9007199254740991,"floats":["NaN","Infinity","-Infinity",0.1,1e300],
        "time":"2026-01-02T02:04:05.006Z","day":"2026-01-02","money":"1234567890.123456789012345678901234567890",
        "bytes":"/wA=","set":[1,2,3],"text":"é\u2028😀\\u0000","5":[1,null,true],"__proto__":{"a":1}}`)
      )
    })
  )

  it.effect("sends rejected rows to the errors stream, inside the process and out of it, and counts them", () =>
    Effect.gen(function* () {
      const { failure, printed, counters } = yield* within(
        chain([
          generator([{ n: 1 }, { n: "x" }]),
          { type: "numbers", publish: [{ stream: "out" }, { stream: "errors" }] },
          { type: "why", subscribe: [{ component: "numbers", stream: "errors" }] },
          {
            type: "show",
            subscribe: [
              ...["why", "numbers"].map((component) => ({ component, stream: "out" })),
              { component: "numbers", stream: "errors" }
            ]
          }
        ]),
        {
          "nodes/n.py": `
from flow import Node
class Numbers(Node):
    def execute(self, rows):
        for row in rows:
            if isinstance(row["n"], int):
                yield row
            else:
                self.reject(row, "no number")
class Why(Node):
    def execute(self, rows):
        for row in rows:
            yield {"why": row["error"]["reason"]}
`
        }
      )
      expect(failure).toBeUndefined()
      expect(printed.toSorted()).toEqual(
        ['{"n":"x","error":{"node":"numbers","reason":"no number"}}', '{"n":1}', '{"why":"no number"}'].toSorted()
      )
      expect(counters["numbers"]).toEqual([2, 1, 1])
    })
  )

  const failing = (body: string, rows: number) =>
    [
      chain([generator(Array.from({ length: rows }, (_, n) => ({ n }))), { type: "bad" }, { type: "show" }]),
      { "nodes/bad.py": `from flow import Node\nclass Bad(Node):\n    def execute(self, rows):\n${body}` }
    ] as const

  it.effect("ends with the traceback of the user's code: file, line and text", () =>
    Effect.gen(function* () {
      const body =
        "        for row in rows:\n            yield helper(row)\n\ndef helper(row):\n    return {}[row['n']]\n"
      const end = ended((yield* run(...failing(body, 5000))).messages)
      expect(end).toMatchObject({ outcome: "failed", component: "bad" })
      expect(end.error).toBe(
        "KeyError: 0\n  nodes/bad.py, line 8, in helper\n    return {}[row['n']]\n" +
          "  nodes/bad.py, line 5, in execute\n    yield helper(row)"
      )
    })
  )

  it.effect("fails clearly for what is no node, no row, no syntax, missing, or leaves", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [body: string, expected: RegExp, rows?: number]> = [
        ["        yield [1]\n", /^TypeError: execute gave a list where a row, which is a dict, is expected/],
        ["        yield {'x': object()}\n", /^TypeError: a row cannot hold a value of type object/],
        ["        import sys\n        sys.exit(3)\n", /^SystemExit: 3\n {2}nodes\/bad\.py, line 5/],
        ["        import os\n        os._exit(3)\n", /The Python process ended early, with exit code 3/, 5000],
        ["        import os, signal\n        os.kill(os.getpid(), 9)\n", /ended early, with signal SIGKILL/, 5000],
        [
          "        pass\nimport nowhere\n",
          /^ModuleNotFoundError: No module named 'nowhere'\n {2}nodes\/bad\.py, line 5/
        ],
        [
          "        yield 1 +\n",
          /there is no Python node bad; nodes\/bad\.py cannot be read \(invalid syntax, line 4\)/
        ],
        ["        raise ValueError('a') from KeyError('b')\n", /^ValueError: a\n.*line 4.*\n.*\nafter KeyError: 'b'/],
        ["        def deep(n): return deep(n + 1)\n        deep(0)\n", /^RecursionError: /]
      ]
      for (const [body, expected, rows = 2] of cases) {
        const { failure } = yield* within(...failing(body, rows))
        expect(failure?.error ?? body).toMatch(expected)
        expect(failure?.error).not.toContain(process.cwd())
      }
    })
  )

  it.effect("lets a node stop reading, print without an end of line, read standard input and start programs", () =>
    Effect.gen(function* () {
      const { messages } = yield* run(
        chain([
          generator(Array.from({ length: 5000 }, (_, n) => ({ n, text: "x".repeat(100) }))),
          { type: "first" },
          { type: "show" }
        ]),
        {
          "nodes/first.py": `
from flow import Node
import subprocess, sys
class First(Node):
    def execute(self, rows):
        print("no end", end="")
        assert sys.stdin is None or sys.stdin.read() == ""
        subprocess.run(["sh", "-c", "echo from a program; cat; echo out >&2"])
        yield next(rows)
`
        }
      )
      expect(ended(messages)).toMatchObject({ outcome: "succeeded" })
      expect(printed(messages)).toEqual(expect.arrayContaining(["no end", "from a program", "out"]))
      expect(printed(messages).filter((line) => line.startsWith('{"n":0,'))).toHaveLength(1)
    })
  )
})
