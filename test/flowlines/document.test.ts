import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readDocument, type SourceDocument } from "../../src/languages/document/Document.ts"

const read = (text: string | Uint8Array, name?: string) =>
  readDocument({ name, bytes: typeof text === "string" ? new TextEncoder().encode(text) : text })

const document = (text: string, name?: string): SourceDocument => Result.getOrThrow(read(text, name))

const issues = (text: string | Uint8Array, name?: string) => {
  const result = read(text, name)
  if (Result.isSuccess(result)) throw new Error(`accepted: ${JSON.stringify(result.success.value)}`)
  return result.failure
}

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
    ["a: .nan", "cannot be represented in JSON", 1, 4],
    ["a: 1\nb: 2\na: 3", '"a" occurs twice', 3, 1],
    ['{"a": 1,\n "a": 2}', '"a" occurs twice', 2, 2],
    ['{\n "b": 1e999}', "out of range", 2, 7],
    ["a: &x [*x]", "inside its own anchor", 1, 8],
    ["a: *x", "no anchor &x", 1, 4],
    ["? [a]\n: 1", "must be a text", 1, 3],
    ['{"a": 1,}', "not allow a comma", 1, 8, "x.json"],
    ['{"a": 1 "b": 2}', 'Expected ","', 1, 9, "x.json"],
    ['{"a": 1} x', "Expected the end of the document", 1, 10, "x.json"],
    ['{"a": "x', "not closed", 1, 7],
    ['{"a": [1, 2}', "Expected a value", 1, 12],
    ["{ a: 1", 'Expected "}"', 1, 7, "x.hjson"],
    ["{ a: '''x", "not closed", 1, 6],
    ["{ /* x", "comment is not closed", 1, 3],
    ["a:\n  - %{WORD:a}", "cannot start with directive indicator character %: put the text in single quotes", 2, 5],
    ["a: %{WORD:a}: x", "in single quotes", 1, 4],
    ['a: "\\d+"', "Invalid escape sequence \\d: in single quotes, backslashes stand for themselves", 1, 5],
    ["a: \u0000", "not a text file", 1, 4]
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
      { detail: expect.stringContaining("write data of this size as JSON") }
    ],
    ["a million comments", "#\n".repeat(2e6), { detail: expect.stringContaining("as JSON") }],
    ["a text without end", `{"${"a".repeat(1e6)}`, { detail: expect.stringContaining("not closed") }],
    ["blanks", `${" ".repeat(1e6)}a`, { detail: expect.stringContaining("must be an object") }],
    ["minus signs", `{a: ${"-".repeat(1e6)}`, { detail: expect.stringContaining("end of the file") }]
  ] as const) {
    it(name, () => {
      const began = process.cpuUsage()
      expect(issues(text)).toMatchObject([expected])
      // Some hundred milliseconds of processor; quadratic work would take minutes.
      expect(process.cpuUsage(began).user).toBeLessThan(10_000_000)
    })
  }

  it("100 levels, many keys and a large JSON file are fine", () => {
    document(`{"a":${"[".repeat(99)}${"]".repeat(99)}}`)
    document(`a: ${"[".repeat(99)}${"]".repeat(99)}`)
    document(Array.from({ length: 5000 }, (_, n) => `k${n}: 1`).join("\n"))
    document(JSON.stringify({ rows: Array.from({ length: 15_000 }, (_, n) => ({ a: n, b: `text${n}` })) }))
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
