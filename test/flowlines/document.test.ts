import { createRequire } from "node:module"
import { it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { describe, expect } from "vitest"
import { stringify } from "yaml"
import { pathOf, pointerOf, readDocument, type SourceDocument } from "../../src/services/flowlines/Document.ts"
import { TextFault } from "../../src/services/flowlines/DocumentSource.ts"
import { readHjson } from "../../src/services/flowlines/Hjson.ts"
import { parseJson } from "../../src/services/nodes/formats/Json.ts"

interface Reference {
  readonly parse: (text: string) => unknown
  readonly stringify: (value: unknown, options: object) => string
}
const hjson: Reference = createRequire(import.meta.url)("hjson")

const read = (text: string | Uint8Array, name?: string) =>
  readDocument({ name, bytes: typeof text === "string" ? new TextEncoder().encode(text) : text })

const document = (text: string, name?: string): SourceDocument => Result.getOrThrow(read(text, name))

const issues = (text: string | Uint8Array, name?: string) => {
  const result = read(text, name)
  if (Result.isSuccess(result)) throw new Error(`accepted: ${JSON.stringify(result.success.value)}`)
  return result.failure
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("the format of a file", () => {
  for (const [text, format, value] of [
    ['{"a": 1}', "json", { a: 1 }],
    ["a: 1\nb: [x, y]\n", "yaml", { a: 1, b: ["x", "y"] }],
    ["{a: 1, b: foo}", "yaml", { a: 1, b: "foo" }],
    ["{ # comment\n a: b c, d\n n: 1 # one\n}\n", "hjson", { a: "b c, d", n: 1 }],
    ["// c\na: 1\nb: '''\n  x\n  '''\n", "hjson", { a: 1, b: "x" }],
    ["/* c */ {\n a: x\n}", "hjson", { a: "x" }],
    ["# c\n\n# d\n{\n  a: x\n}", "hjson", { a: "x" }],
    ["\ufeffa: 1", "yaml", { a: 1 }]
  ] as const) {
    it(`${JSON.stringify(text)} is ${format}`, () => {
      const { format: found, value: read } = document(text)
      expect([found, read]).toEqual([format, value])
    })
  }

  it("is what the name says", () => {
    expect(document('{"a": 1}', "x.YML").format).toBe("yaml")
    expect(document('{"a": 1}', "x.hjson").format).toBe("hjson")
    expect(issues("{a: 1}", "x.json")).toMatchObject([{ line: 1, column: 2 }])
    expect(document("{a: 1}", "x.txt").format).toBe("hjson")
  })

  it("does not make HJSON of a faulty YAML file", () => {
    expect(issues("a: b: c")).toMatchObject([{ line: 1, column: 4 }])
    expect(issues("a: *x")).toMatchObject([{ line: 1, column: 4 }])
  })
})

describe("what is refused", () => {
  for (const [text, detail, line, column, name] of [
    ["", "empty", 1, 1],
    [" \n\t\n", "empty", 1, 1],
    ["# only\n", "empty", 1, 1],
    ["hello", "must be an object (a mapping), not a text", 1, 1],
    ["- a", "not a list", 1, 1],
    ["~", "not null", 1, 1],
    ["[1]", "not a list", 1, 1, "x.json"],
    ["# x\n7", "not a number", 2, 1],
    ["a: 1\n---\nb: 2", "more than one document", 3, 1],
    ["a: !foo 1", "Unresolved tag", 1, 4],
    ["a: .nan", "no counterpart in JSON", 1, 4],
    ["a: 1\nb: 2\na: 3", '"a" occurs twice', 3, 1],
    ['{"a": 1,\n "a": 2}', '"a" occurs twice', 2, 2],
    ['{\n "b": 1e999}', "out of range", 2, 7],
    ["a: &x [*x]", "inside its own anchor", 1, 8],
    ["a: *x", "no anchor &x", 1, 4],
    ["? [a]\n: 1", "must be a text", 1, 3],
    ['{"a": 1,}', "no comma", 1, 8, "x.json"],
    ['{"a": 1 "b": 2}', 'Expected ","', 1, 9, "x.json"],
    ['{"a": 1} x', "Nothing may follow", 1, 10, "x.json"],
    ['{"a": "x', "no end", 1, 7],
    ['{"a": [1, 2}', "Expected a value", 1, 12],
    ["{ a: 1", 'Expected "}"', 1, 7, "x.hjson"],
    ["{ a: '''x", "no end", 1, 6],
    ["{ /* x", "comment has no end", 1, 3],
    ["a: \u0000", "not text", 1, 4]
  ] as const) {
    it(`${JSON.stringify(text)}: ${detail}`, () => {
      const found = issues(text, name)
      expect(found[0]!.detail).toContain(detail)
      expect(found[0]).toMatchObject({ pointer: "", line, column })
    })
  }

  it("bytes that are no UTF-8", () => {
    expect(issues(Buffer.from("a: 1\nb: \xe9x", "latin1"))).toMatchObject([
      { detail: "The file is not UTF-8 text", line: 2, column: 4 }
    ])
    expect(issues(Buffer.from("\ufeffa: 1", "utf16le"))).toMatchObject([{ line: 1, column: 1 }])
  })

  it("says all that is wrong with a YAML file", () => {
    expect(issues("a: [1, 2\nb: x: y\nc: 'z", "x.yaml").length).toBeGreaterThan(1)
  })

  it("more than 4 MiB", () => {
    expect(issues(new Uint8Array(4 * 1024 * 1024 + 1).fill(32))).toMatchObject([
      { detail: expect.stringContaining("4194304") }
    ])
  })
})

describe("hostile files", () => {
  const deep = { detail: "The document is nested deeper than 100 levels" }
  const bomb = `a0: &a0 [${"1,".repeat(10)}]\n${Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`).join("\n")}`
  const chain = Array.from({ length: 300 }, (_, n) => `a${n}: &a${n} [${n === 0 ? "" : `*a${n - 1}`}]`).join("\n")
  for (const [name, text, expected] of [
    ["deep lists in JSON", `{"a":${"[".repeat(1e6)}`, deep],
    ["deep lists in YAML", `a: ${"[".repeat(1e6)}`, deep],
    ["deep blocks in YAML", `a:\n${"- ".repeat(1e6)}`, deep],
    ["deep anchors", chain, deep],
    ["a bomb of aliases", bomb, { detail: expect.stringContaining("values, those of its aliases included") }],
    [
      "a million items",
      `a:\n${"- 1\n".repeat(1e6)}`,
      { detail: expect.stringContaining("write this much data as JSON") }
    ],
    ["a million comments", "#\n".repeat(2e6), { detail: expect.stringContaining("as JSON") }],
    ["a text without end", `{"${"a".repeat(4e6)}`, { detail: expect.stringContaining("no end") }],
    ["blanks", `${" ".repeat(4e6)}a`, { detail: expect.stringContaining("must be an object") }],
    ["minus signs", `{a: ${"-".repeat(4e6)}`, { detail: expect.stringContaining("end of the file") }]
  ] as const) {
    it(name, () => {
      const began = performance.now()
      expect(issues(text)).toMatchObject([expected])
      // A few hundred milliseconds; quadratic work would take minutes.
      expect(performance.now() - began).toBeLessThan(5000)
    })
  }

  it("100 levels, many keys and a large JSON file are fine", () => {
    document(`{"a":${"[".repeat(99)}${"]".repeat(99)}}`)
    document(`a: ${"[".repeat(99)}${"]".repeat(99)}`)
    document(Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join("\n"))
    document(JSON.stringify({ rows: Array.from({ length: 60_000 }, (_, n) => ({ a: n, b: `text${n}` })) }))
  })

  it("keys of an object's inside are keys as any other", () => {
    for (const text of [
      '{"__proto__": {"x": 1}, "constructor": 2}',
      "__proto__: {x: 1}\nconstructor: 2",
      "{\n __proto__: {x: 1}\n constructor: 2\n}"
    ]) {
      const { value } = document(text)
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1},"constructor":2}')
    }
  })

  it("integers that a number cannot hold keep their digits", () => {
    for (const text of [
      '{"a":12345678901234567890,"b":-9007199254740991}',
      "a: 12345678901234567890\nb: -9007199254740991"
    ]) {
      expect(document(text).value).toEqual({ a: "12345678901234567890", b: -9007199254740991 })
    }
  })
})

const texts = [
  "",
  "a",
  "true",
  "null",
  "12",
  "1.5e3",
  "-",
  "a b",
  " lead",
  "trail ",
  "x # y",
  "// z",
  "l1\nl2",
  "l1\n  l2\n"
]
const odd = ["'''", '"q"', "'s'", "a,b", "{x", "é€😀", "a: b", "\t", "k]", "\u0007", "\\n", "C:\\x", "__proto__"]
const below = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
const Text = Schema.Literals([...texts, ...odd])
const Leaf = Schema.Union([Text, Schema.Finite, Schema.Boolean, Schema.Null])
const Entry = <S extends Schema.Constraint>(value: S) =>
  Schema.Array(Schema.Tuple([Text, value])).check(Schema.isMaxLength(4))
const Tree = Entry(Schema.Union([Leaf, Schema.Array(Schema.Union([Leaf, Entry(Leaf)])), Entry(Schema.Array(Leaf))]))

/** Entries as an object; a key such as `__proto__` is an own one. */
const treeOf = (entries: typeof Tree.Type): Record<string, unknown> => {
  const isEntry = (item: unknown): item is readonly [string, unknown] =>
    Array.isArray(item) && item.length === 2 && typeof item[0] === "string"
  const value = (part: unknown): unknown => {
    // An integer that a number cannot hold exactly is read as text.
    if (Number.isInteger(part) && !Number.isSafeInteger(part)) return 0.5
    if (!Array.isArray(part)) return part
    if (part.length > 0 && part.every(isEntry))
      return Object.fromEntries(part.map(([key, inner]) => [key, value(inner)]))
    return part.map(value)
  }
  return Object.fromEntries(entries.map(([key, part]) => [key, value(part)]))
}
const Edits = Schema.Array(
  Schema.Struct({
    at: below(100_000),
    remove: below(3),
    insert: Schema.Literals(["", ..."{}[],:'\"\\\n #/*-0te.+\r\t"])
  })
).check(Schema.isMaxLength(3))
const writers = [
  (value: unknown) => JSON.stringify(value),
  (value: unknown) => JSON.stringify(value, null, 2),
  ...[
    {},
    { quotes: "always" },
    { separator: true },
    { quotes: "keys" },
    { multiline: "off" },
    { emitRootBraces: false }
  ].map((options) => (value: unknown) => hjson.stringify(value, options))
]

const outcome = (run: () => unknown): { value: unknown } | undefined => {
  try {
    return { value: run() }
  } catch (cause) {
    if (cause instanceof TextFault || cause instanceof Error) return undefined
    throw cause
  }
}

/** What this reader refuses on purpose and the others take. */
const stricter = (text: string, dialect: "json" | "hjson"): boolean => {
  try {
    readHjson(text, dialect)
    return false
  } catch (cause) {
    return (
      cause instanceof TextFault &&
      /occurs twice|out of range|is empty|comment has no end|a value, found the end of the file/.test(cause.detail)
    )
  }
}

/** The library sets an object's prototype where a key says `__proto__`, and rounds long integers. */
const different = (text: string): boolean => text.includes("__proto__") || /\d{16}/.test(text)

describe("the HJSON and JSON reader", () => {
  it.prop(
    "reads what the reference implementations read, and refuses what they refuse",
    { entries: Tree, writer: below(writers.length), edits: Edits },
    ({ entries, writer, edits }) => {
      let text = writers[writer]!(treeOf(entries))
      for (const { at, remove, insert } of edits) {
        const place = at % (text.length + 1)
        text = text.slice(0, place) + insert + text.slice(place + remove)
      }
      if (!stricter(text, "json")) {
        const own = outcome(() => plain(readHjson(text, "json").value))
        expect(own).toEqual(outcome(() => plain(parseJson(text))))
      }
      const reference = outcome(() => hjson.parse(text))
      // A document that is a bare text or number is no flowline: it is refused later, or here.
      if (typeof reference?.value !== "object" && reference !== undefined) return
      if (different(text) || stricter(text, "hjson")) return
      const own = outcome(() => plain(readHjson(text, "hjson").value))
      expect(own).toEqual(reference === undefined ? undefined : { value: plain(reference.value) })
    },
    { arbitrary: { runs: 3000 } }
  )
})

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
    { arbitrary: { runs: 500 } }
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
