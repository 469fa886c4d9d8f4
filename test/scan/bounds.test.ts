import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import { scanFiles } from "../../src/layers/python/Scanner.ts"

const interpreter = await findPython()

const executes = "    def execute(self, rows): yield\n"
const harmless = ["nodes/other.py", `class Other(Node):\n${executes}`] as const
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("")

/** What is found in a file, and in a harmless one behind it. */
const scan = async (text: string) => {
  if (interpreter === undefined) return []
  const place = { interpreter, isolation: undefined, root: join(tmpdir(), "flow-scan-bounds") }
  const files = [["nodes/some.py", text] as const, harmless]
  const { found, isSettled } = await scanFiles(place, files, new AbortController().signal)
  expect(isSettled).toBe(true)
  expect(found[1]).toMatchObject({ nodes: [{ type: "other" }] })
  return found
}

describe.skipIf(interpreter === undefined)("the scan of a file of Python nodes", () => {
  it("tells each setting once, whatever inherits it and however often", async () => {
    const [found] = await scan(
      `class A(Node):\n    size: int\n    unit: str\n${executes}` +
        `class B(A):\n    size: int = 1\nclass C(A):\n    size: int = 2\nclass D(B, C): pass\n`
    )
    expect(found).toMatchObject({
      nodes: [
        { type: "a", settings: { required: ["size", "unit"] } },
        { type: "b", settings: { required: ["unit"], properties: { size: { default: 1 } } } },
        { type: "c", settings: { required: ["unit"], properties: { size: { default: 2 } } } },
        { type: "d", settings: { required: ["unit"], properties: { size: { default: 1 } } } }
      ]
    })
  })

  it("is refused when its nodes take more to describe than people write", async () => {
    const [found] = await scan(
      `class A(Node):\n${lines(500, (at) => `    setting_${at}: int\n`)}${executes}` +
        lines(500, (at) => `class B${at}(A): pass\n`)
    )
    expect(found).toEqual({ error: { message: "the nodes take more than 8 MiB to describe" } })
  })
})
