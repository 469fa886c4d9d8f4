import { it } from "@effect/vitest"
import { Result } from "effect"
import { describe, expect } from "vitest"
import { stringify } from "yaml"
import { readDocument, type SourceDocument } from "../../src/languages/document/Document.ts"
import { pathOf, pointerOf } from "../../src/languages/document/Pointer.ts"
import { seed } from "../support/random.ts"
import { Tree, treeOf } from "./trees.ts"

const document = (text: string, name?: string): SourceDocument =>
  Result.getOrThrow(readDocument({ name, bytes: new TextEncoder().encode(text) }))

/** Every leaf of a value with its path. */
const leaves = (
  value: unknown,
  path: ReadonlyArray<string | number> = []
): Array<[ReadonlyArray<string | number>, unknown]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) =>
        leaves(member, [...path, Array.isArray(value) ? Number(key) : key])
      )
    : [[path, value]]

describe("positions", () => {
  it.prop(
    "are where the values and keys are",
    { entries: Tree },
    ({ entries }) => {
      const tree = treeOf(entries)
      const yaml = stringify(tree, { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0, doubleQuotedAsJSON: true })
      for (const [text, name] of [
        [JSON.stringify(tree), "x.json"],
        [JSON.stringify(tree, null, 3), "x.hjson"],
        [Object.keys(tree).length === 0 ? "{}" : yaml, "x.yaml"]
      ] as const) {
        const lines = text.split("\n")
        const read = document(text, name)
        expect(read.value).toEqual(JSON.parse(JSON.stringify(tree)))
        for (const [path, value] of leaves(read.value)) {
          const pointer = pointerOf(path)
          expect(pathOf(pointer)).toEqual(path.map(String))
          const { line, column } = read.locate(pointer)!
          // Numbers have several spellings.
          const here = lines[line - 1]!.slice(column - 1)
          if (typeof value === "number") expect(Number.parseFloat(here) === value).toBe(true)
          else expect(here.startsWith(JSON.stringify(value))).toBe(true)
          const key = path.at(-1)
          if (typeof key !== "string") continue
          const at = read.locate(pointer, "key")!
          expect(lines[at.line - 1]!.slice(at.column - 1).startsWith(JSON.stringify(key))).toBe(true)
        }
      }
    },
    { arbitrary: { seed, runs: 500 } }
  )

  it("of what is missing are those of the innermost thing that is there", () => {
    const read = document("a:\n  b:\n    - x\n    - c: 1\n")
    expect(read.locate("/a/b/1/c")).toEqual({ line: 4, column: 10 })
    expect(read.locate("/a/b/1/d")).toEqual({ line: 4, column: 7 })
    expect(read.locate("/a/b/7")).toEqual({ line: 3, column: 5 })
    expect(read.locate("/z")).toEqual({ line: 1, column: 1 })
    expect(read.locate("")).toEqual({ line: 1, column: 1 })
  })

  it("inside a text are found in the file", () => {
    const yaml = 'a: one two\nb: |\n  first\n    second (x\nc: "q\\"uote here"\nd: >\n  folded\n  text\ne:\n  later\n'
    const read = document(yaml)
    const inside = (key: string, line: number, column: number) =>
      read.inside([key], String(read.value[key]), { line, column })
    expect(inside("a", 1, 5)).toEqual({ line: 1, column: 8 })
    expect(inside("b", 2, 10)).toEqual({ line: 4, column: 12 })
    expect(inside("c", 1, 5)).toEqual({ line: 5, column: 4 })
    expect(inside("e", 1, 3)).toEqual({ line: 10, column: 5 })
    const hj = document("{\n  a: '''\n     one\n       two\n     '''\n}")
    expect(hj.value).toEqual({ a: "one\n  two" })
    expect(hj.inside(["a"], "one\n  two", { line: 2, column: 4 })).toEqual({ line: 4, column: 9 })
  })
})
