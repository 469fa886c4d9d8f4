import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { encoder } from "../../src/nodes/formats/Encoder.ts"
import { keptLength, LineSplitter, maxLineLength } from "../../src/nodes/formats/LineSplitter.ts"
import { fileInput } from "../../src/nodes/inputs/FileInput.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"

/** Cuts at the given places, taken modulo the length. */
const cut = <A extends Uint8Array | ReadonlyArray<unknown>>(whole: A, places: ReadonlyArray<number>): Array<A> => {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, index) => whole.slice(start, at[index] ?? whole.length) as A)
}

const Places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })))

/**
 * Pieces that are difficult at a boundary: line ends, characters of two, three and four bytes, a BOM, and invalid
 * UTF-8.
 */
const pieces = [
  "a",
  "\n",
  "\r",
  "\r\n",
  "é",
  "€",
  "😀",
  "\ufeff",
  "x\u0000",
  "long long line",
  '{"a":"é\\n"}',
  "[1]",
  " "
]
const Pieces = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: pieces.length })))
const bytesOf = (indices: ReadonlyArray<number>): Uint8Array =>
  Buffer.concat(indices.map((index) => Buffer.from(index === pieces.length ? [0xe9, 0xff] : pieces[index]!)))

const read = async (chunks: ReadonlyArray<Uint8Array>, format: "lines" | "ndjson") => {
  const memory = new Memory({ x: chunks })
  const streams: Record<string, Array<Event>> = { "*": [], errors: [] }
  const instance = await fileInput.start(
    { path: "x", format, follow: false, encoding: "utf-8", source: false },
    memory.nodeContext("in")
  )
  await instance.run!((stream, batch) => {
    expect(batch.length).toBeGreaterThan(0)
    expect(batch.length).toBeLessThanOrEqual(1000)
    streams[stream]!.push(...batch)
  })
  return streams
}

/** The lines by definition: from the whole text. */
const linesOf = (bytes: Uint8Array): Array<string> => {
  const lines = new TextDecoder().decode(bytes).split("\n")
  const last = lines.pop()
  return [...lines, ...(last === "" ? [] : [last!])].map((line) => line.replace(/\r$/, ""))
}

describe("lines", () => {
  it.effect.prop(
    "do not depend on how the bytes are cut",
    { indices: Pieces, places: Places },
    ({ indices, places }) =>
      Effect.promise(async () => {
        const bytes = bytesOf(indices)
        const lines = linesOf(bytes)
        const chunks = cut(bytes, places)
        const text = await read(chunks, "lines")
        expect(text["*"]!.map((event) => event["message"])).toEqual(lines)
        const json = await read(chunks, "ndjson")
        const whole = await read([bytes], "ndjson")
        expect(json).toEqual(whole)
        const filled = lines.filter((line) => line.trim() !== "")
        expect(json["*"]!.length + json["errors"]!.length).toBe(filled.length)
      }),
    { arbitrary: { seed, runs: 500 } }
  )

  it("skips a line over the limit, wherever the chunks end", () => {
    for (const size of [maxLineLength - 1, maxLineLength, maxLineLength + 1, maxLineLength + 2, 3 * maxLineLength]) {
      for (const end of ["\n", "\r\n", ""]) {
        const text = `first\n${"x".repeat(size)}${end}${end === "" ? "" : "last\n"}`
        for (const step of [text.length, 65_536, maxLineLength + 3]) {
          const long: Array<string> = []
          const splitter = new LineSplitter((beginning) => long.push(beginning))
          const lines: Array<string> = []
          for (let at = 0; at < text.length; at += step) lines.push(...splitter.push(text.slice(at, at + step)))
          lines.push(...splitter.end())
          const kept = size <= maxLineLength ? [size] : []
          expect(lines.map((line) => line.length)).toEqual([5, ...kept, ...(end === "" ? [] : [4])])
          expect(long).toEqual(size <= maxLineLength ? [] : ["x".repeat(keptLength)])
        }
      }
    }
  })

  it("takes an endless line in linear time", () => {
    const splitter = new LineSplitter(() => {})
    const chunk = "y".repeat(65_536)
    const began = performance.now()
    for (let count = 0; count < 4000; count++) splitter.push(chunk)
    expect(splitter.push("\nnext\n")).toEqual(["next"])
    expect(performance.now() - began).toBeLessThan(60_000)
  })
})

/** A reader by RFC 4180, for the round trip. */
const readCsv = (text: string): Array<Array<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  let at = 0
  while (at < text.length) {
    let cell = ""
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        cell += text[at]
        if (text[at] === '"') at++
      }
      at++
    } else while (at < text.length && text[at] !== "," && text[at] !== "\r") cell += text[at++]
    row.push(cell)
    if (text[at] === ",") at++
    else {
      expect(text.slice(at, at + 2)).toBe("\r\n")
      at += 2
      rows.push(row)
      row = []
    }
  }
  return rows
}

const Cell = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])
const Rows = Schema.Array(Schema.Struct({ a: Cell, b: Schema.String, c: Schema.Struct({ d: Cell }) }))

const encode = (
  format: "csv" | "ndjson" | "lines",
  batches: ReadonlyArray<ReadonlyArray<Event>>,
  columns?: Array<string>
) => {
  const { encode, end } = encoder(format, columns)
  return batches.map(encode).join("") + end()
}

/** A cell after writing and reading it. */
const cellOf = (value: unknown): string => {
  const text = value === null ? "" : String(value)
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? `'${text}` : text
}

describe("encoders", () => {
  it.prop(
    "csv comes back, whatever the batches",
    { rows: Rows, places: Places },
    ({ rows, places }) => {
      const text = encode("csv", cut(rows, places))
      const expected = rows.map((row) => [cellOf(row.a), cellOf(row.b), cellOf(row.c.d)])
      expect(readCsv(text)).toEqual(rows.length === 0 ? [] : [["a", "b", "c.d"], ...expected])
      expect(encode("csv", cut(rows, places), ["c.d", "b"])).toBe(encode("csv", [rows], ["c.d", "b"]))
    },
    { arbitrary: { seed, runs: 500 } }
  )

  it.prop(
    "ndjson comes back, whatever the batches",
    { rows: Schema.Array(Schema.Record(Schema.String, Schema.Json)), places: Places },
    ({ rows, places }) => {
      const text = encode("ndjson", cut(rows, places))
      const lines = text.split("\n")
      expect(lines.pop()).toBe("")
      expect(lines).toEqual(rows.map((row) => JSON.stringify(row)))
    },
    { arbitrary: { seed, runs: 300 } }
  )

  it("guards csv against formulas and keeps numbers", () => {
    const cells = ["=1+1", "@SUM(A1)", "+1", "-1.5e3", "-1+1", "\tx", "a,b", 'say "x"', "l1\nl2", "", null, -7, true]
    const text = encode("csv", [cells.map((a) => ({ a, n: 1 }))])
    expect(
      readCsv(text)
        .slice(1)
        .map(([cell]) => cell)
    ).toEqual(["'=1+1", "'@SUM(A1)", "+1", "-1.5e3", "'-1+1", "'\tx", "a,b", 'say "x"', "l1\nl2", "", "", "-7", "true"])
  })

  it("guards the names of csv columns, but not those that are no formulas", () => {
    const names = { "@timestamp": 1, "=a": 2, "-1+1": 3, b: 4 }
    expect(encode("csv", [[names]])).toBe("@timestamp,'=a,'-1+1,b\r\n1,2,3,4\r\n")
  })

  it("takes the columns of the first 1000 records and drops later fields", () => {
    const rows = Array.from(
      { length: 1200 },
      (_, index): Event => (index < 999 ? { a: index } : { a: index, b: { c: [1] } })
    )
    const text = encode("csv", [rows.slice(0, 10), rows.slice(10)])
    expect(text.split("\r\n").slice(0, 2)).toEqual(["a,b.c", "0,"])
    expect(readCsv(text).at(-1)).toEqual(["1199", "[1]"])
    const late = rows.map((_, index) => (index < 1000 ? { a: 1 } : { a: 1, late: 2 }))
    expect(readCsv(encode("csv", [late]))[0]).toEqual(["a"])
  })

  it("prefers a field whose own name has dots", () => {
    expect(encode("csv", [[{ "a.b": 1, a: { b: 2, "c.d": { e: 3 } } }]], ["a.b", "a.c.d.e", "a.x"])).toBe(
      "a.b,a.c.d.e,a.x\r\n1,3,\r\n"
    )
  })

  it("writes the message of each record as a line, and the whole record where there is none", () => {
    expect(encode("lines", [[{ message: "x", n: 1 }, { n: 2 }], [{ message: 3 }]])).toBe('x\n{"n":2}\n{"message":3}\n')
  })
})
