import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chain, hasPython, within } from "./support.ts"

const ran = (lines: string) =>
  within(
    chain([
      { type: "dataset_generator", settings: { rows: [{}] } },
      { type: "says", publish: [] }
    ]),
    {
      "nodes/says.py": `
from flow import Node
import io, os, subprocess, sys, threading
class Says(Node):
    """Says something."""
    def execute(self, rows):
        for _ in rows:
${lines.trim().replaceAll(/^ */gm, " ".repeat(12))}
        return []
`
    }
  )

const cases: ReadonlyArray<readonly [what: string, code: string, ...printed: Array<string>]> = [
  [
    "the bytes of standard output",
    String.raw`sys.stdout.buffer.write(b"one\ntwo")
    sys.stdout.buffer.flush()
    sys.stdout.write(" and text")
    sys.stdout.buffer.write(memoryview("\n\u00e4".encode())[:2])
    sys.stdout.buffer.write(b"\xa4\xff\n")`,
    "one",
    "two and text",
    "ä\ufffd"
  ],
  ["the bytes of standard error", String.raw`sys.stderr.buffer.writelines([b"a\n", b"b\n"])`, "a", "b"],
  ["Python's first streams", String.raw`sys.__stdout__.write("out"); sys.__stderr__.write("\nerr\n")`, "out", "err"],
  ["a wrapper of the bytes", `print("wrapped", file=io.TextIOWrapper(sys.stdout.buffer, "utf-8"))`, "wrapped"],
  [
    "the file descriptors, in one line for each line",
    String.raw`os.write(1, b"x" * 40000); os.write(1, b"x" * 40000 + b"\nlast\n"); os.write(sys.stderr.fileno(), b"")`,
    "last",
    "80000 x"
  ],
  ["what programs print", `subprocess.run(["echo", "from echo"], stdout=sys.stdout, check=True)`, "from echo"],
  [
    "what stands in no node's thread, without an end of line",
    `it = threading.Thread(target=lambda: print("other", end="")); it.start(); it.join()`,
    "other"
  ],
  ["a name to close", `sys.stdout.reconfigure(line_buffering=True); sys.stdout.close(); print("open")`, "open"],
  [
    "a stream that takes the place of standard output",
    `sys.stdout = io.TextIOWrapper(sys.stdout.buffer, "utf-8"); print("replaced")`,
    "replaced"
  ]
]

describe.skipIf(!hasPython)("the output of a Python node", () => {
  it.effect(`has ${cases.map(([what]) => what).join("; ")}`, () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* ran(cases.map(([, code]) => code).join("\n"))
      expect(failure).toBe(undefined)
      const short = printed.map((line) => line.replace(/x{9,}/, ({ length }) => `${length} x`))
      expect(short.toSorted()).toEqual(cases.flatMap(([, , ...expected]) => expected).toSorted())
    })
  )

  it.effect("has what it said before it failed", () =>
    Effect.gen(function* () {
      const { failure, printed } = yield* ran(`
        print("unfinished", end="")
        os.write(1, b"past Python")
        raise ValueError("enough")`)
      expect(failure?.error).toContain("ValueError: enough")
      expect(printed.toSorted()).toEqual(["past Python", "unfinished"])
    })
  )
})
