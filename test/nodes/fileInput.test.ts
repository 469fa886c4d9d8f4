import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { parseJson } from "../../src/languages/json/JsonValue.ts"
import { checkSettings } from "../../src/nodes/Checks.ts"
import { csvHeader, csvRows } from "../../src/nodes/formats/CsvEncoder.ts"
import { fileInput } from "../../src/nodes/inputs/FileInput.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"

type Settings = typeof fileInput.settings.Type

const plain = { follow: false, encoding: "utf-8", source: false } as const

const read = async (given: Partial<Settings>, files: ConstructorParameters<typeof Memory>[0]) => {
  const streams: { "*": Array<Event>; errors: Array<Event> } = { "*": [], errors: [] }
  const instance = await fileInput.start({ ...plain, ...given }, new Memory(files).nodeContext("in"))
  await instance.run!((stream, batch) => void streams[stream === "errors" ? "errors" : "*"].push(...batch))
  return { records: streams["*"], errors: streams.errors }
}

const csv = (text: string) => read({ path: "a.csv" }, { "a.csv": text })
const reasons = (errors: ReadonlyArray<Event>) => errors.map((event) => (event["error"] as { reason: string }).reason)

describe("csv", () => {
  it("has a header, texts, quotes, and line ends inside of them", async () => {
    const { records, errors } = await csv(
      '\ufeffid,"a ""name""",\r\n9007199254740993,"x,\r\ny",\r\n\r\n007,é,"z"\n1e5,"",=1+1'
    )
    expect(errors).toEqual([])
    expect(records).toEqual([
      { id: "9007199254740993", 'a "name"': "x,\r\ny", column3: "" },
      { id: "007", 'a "name"': "é", column3: "z" },
      { id: "1e5", 'a "name"': "", column3: "=1+1" }
    ])
  })

  it("passes rows that do not fit on with their numbers, and reads on", async () => {
    const { records, errors } = await csv('a,b\n1,2\n3\n4,5,6\n"x"y,7\n8,9\n"10\n",11\n12,"never closed\n13,14\n')
    expect(records).toEqual([
      { a: "1", b: "2" },
      { a: "8", b: "9" },
      { a: "10\n", b: "11" },
      { a: "13", b: "14" }
    ])
    expect(reasons(errors)).toEqual([
      "row 3 has 1 cells, the header has 2",
      "row 4 has 3 cells, the header has 2",
      "row 5 has a quote that is misplaced or not closed",
      "row 8 has a quote that is misplaced or not closed"
    ])
    expect(errors[0]).toMatchObject({ row: 3, cells: ["3"] })
  })

  /** The file in pieces, as they are read from a disk. */
  const inPieces = (text: string, length = 262_144) => {
    const bytes = Buffer.from(text)
    return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
      bytes.subarray(at * length, (at + 1) * length)
    )
  }
  const sourced = (text: string, length?: number) =>
    read({ path: "a.csv", source: true }, { "a.csv": inPieces(text, length) })
  const limit = 1_048_576
  const longRow = "row 3, which begins on line 3, has more than 1048576 characters"

  it("rejects a row over the limit as one, and reads on behind its end", async () => {
    const lines = `${"x,y\n".repeat(300_000)}"",\r\n""`
    const cells = ["a".repeat(10_000_000), lines, `${"é".repeat(limit)}\n,`, "b".repeat(limit - 3)]
    for (const cell of cells) {
      for (const end of ["\n", "\r\n"]) {
        const head = `a,b${end}1,2${end}`
        const long = `${head}3,"${cell}"${end}`
        const text = `${long}4,5${end}${end}6,"7${end}"`
        const all = await sourced(text)
        expect(reasons(all.errors)).toEqual([longRow])
        expect(all.errors[0]).toMatchObject({ row: 3, _source: { file: "a.csv", line: 3, offset: head.length } })
        const [line, offset] = [long.split("\n").length, Buffer.byteLength(long)]
        expect(all.records.slice(1)).toEqual([
          { a: "4", b: "5", _source: { file: "a.csv", line, offset } },
          { a: "6", b: `7${end}`, _source: { file: "a.csv", line: line + 2, offset: offset + 3 + 2 * end.length } }
        ])
        const plainly = await read({ path: "a.csv" }, { "a.csv": inPieces(text, 100_000) })
        expect([plainly.records.length, reasons(plainly.errors)]).toEqual([3, [longRow]])
      }
    }
  })

  it("has rows of as many characters as the limit says, without their line ends", async () => {
    for (const length of [limit, limit + 1]) {
      for (const row of ["x".repeat(length - 1), `"${"\n".repeat(length - 3)}"`]) {
        for (const end of ["\n", "\r\n", ""]) {
          for (const pieces of [20_000, 262_144, 4_000_000]) {
            const { records, errors } = await read(
              { path: "a.csv" },
              { "a.csv": inPieces(`a,b\n${row},${end}`, pieces) }
            )
            expect([records.length, reasons(errors)], `${length} ${pieces}`).toEqual(
              length > limit ? [0, ["row 2, which begins on line 2, has more than 1048576 characters"]] : [1, []]
            )
          }
        }
      }
    }
  })

  it("reports a quote once that is not closed, with its line, and reads on where another quote shows it", async () => {
    const rows = (count: number, quote = "") => `1,${quote}${"b".repeat(100)}${quote}\n`.repeat(count)
    const never = await sourced(`a,b\n1,2\nx,"y\n${rows(20_000)}`)
    expect(never.records.length).toBe(1)
    expect(reasons(never.errors)).toEqual([
      "row 3, which begins on line 3, has a quote that is misplaced or not closed: all up to the end is lost with it"
    ])
    expect(never.errors[0]).toMatchObject({ _source: { line: 3, offset: 8 }, message: 'x,"y' })

    // One behind fewer characters than a row may have: only the line is lost.
    const soon = await sourced(`a,b\n1,2\nx,"y\n${rows(5_000)}${rows(15_000, '"')}`)
    expect(soon.records.length).toBe(20_001)
    expect(reasons(soon.errors)).toEqual(["row 3 has a quote that is misplaced or not closed"])

    const late = await sourced(`a,b\n1,2\nx,"y\n${rows(20_000)}${rows(5_000, '"')}`)
    expect(reasons(late.errors)).toEqual([
      "row 3, which begins on line 3, has a quote that is misplaced or not closed: all up to line 20004 is lost with it"
    ])
    expect(late.records.length).toBe(1 + 4_999)
    expect(late.records.at(-1)).toMatchObject({ _source: { line: 25_003 } })

    const plain = await sourced(`a,b\n5" ${"x".repeat(3_000_000)},1\n2,3\n`)
    expect([reasons(plain.errors).length, plain.records]).toEqual([1, [expect.objectContaining({ a: "2", b: "3" })]])
  })

  it("keeps odd names of columns apart", async () => {
    expect((await csv("a,a,__proto__,\n1,2,3,4\n")).records.map((event) => Object.entries(event))).toEqual([
      [
        ["a", "1"],
        ["a_2", "2"],
        ["__proto__", "3"],
        ["column4", "4"]
      ]
    ])
  })

  it("may be empty", async () => {
    for (const text of ["", "\n", "a,b", "a,b\r\n", "\ufeff"]) {
      expect(await csv(text), JSON.stringify(text)).toEqual({ records: [], errors: [] })
    }
  })

  const cells = ["a", "", '"', ",", "\n", " \r\n", "é€😀", "x y", '""', "1"]
  const Rows = Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))))
  const Places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5000 })))
  it.effect.prop(
    "reads what csv outputs write, however it is cut",
    { rows: Rows, places: Places },
    ({ rows, places }) =>
      Effect.promise(async () => {
        const columns = ["k", "l", "m"]
        const events = rows.map((row) =>
          Object.fromEntries(
            columns.map((name, index) => [name, cells[row[index] ?? 0]! + cells[row[index + 3] ?? 0]!])
          )
        )
        const bytes = Buffer.from(csvHeader(columns) + csvRows(columns, events))
        const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index]!, end))
        expect(await read({ path: "a.csv" }, { "a.csv": chunks })).toEqual({ records: events, errors: [] })
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})

describe("a source", () => {
  const check = (given: object) =>
    checkSettings(fileInput, Schema.decodeUnknownSync(fileInput.settings)(given), {}).map(({ path, detail }) => [
      path.join("."),
      detail
    ])

  it("is exactly one of three", () => {
    expect(check({ path: "a" })).toEqual([])
    expect(check({ registry: "a/b.csv" })).toEqual([])
    expect(check({ resource: "FILE:org.acme:lookup:1.0.0" })).toEqual([])
    expect(check({})).toEqual([["", "One of path, registry and resource is required"]])
    expect(check({ path: "a", registry: "b" })[0]?.[0]).toBe("registry")
    expect(() => check({ resource: "FILE:org.acme:lookup" })).toThrow("resource")
  })

  it("can be followed only where it grows by lines", () => {
    expect(check({ path: "a.log", follow: true })).toEqual([])
    expect(check({ path: "a.csv", follow: true, format: "lines" })).toEqual([])
    for (const given of [{ path: "a.csv" }, { path: "a.log.gz" }, { registry: "a.log" }]) {
      expect(check({ ...given, follow: true })[0]?.[0], JSON.stringify(given)).toBe("follow")
    }
  })

  it("is read from the registry by the extension of its name", async () => {
    expect(await read({ registry: "x/a.csv" }, { "x/a.csv": "a\n1\n" })).toEqual({ records: [{ a: "1" }], errors: [] })
    expect(fileInput.references!({ ...plain, registry: "x/a.csv" })).toEqual([{ registry: "x/a.csv" }])
    expect(fileInput.references!({ ...plain, path: "a" })).toEqual([])
  })
})

describe("exact JSON", () => {
  it("keeps the digits of every number that JavaScript would round", () => {
    const same = [
      "9007199254740993",
      "-170141183460469231731687303715884105727",
      "0.12345678901234567890",
      "99999999999999.9999"
    ]
    for (const text of same) expect(parseJson(`[${text}]`), text).toEqual([text])
    const numbers = [
      "9007199254740991",
      "0.1",
      "1e300",
      "1.7976931348623157e308",
      "12345.678900000000000000",
      "5e-324",
      "0.00000000000000000001"
    ]
    for (const text of numbers) expect(parseJson(`[${text}]`), text).toEqual([Number(text)])
    expect(parseJson('{"a":"12345678901234567890"}')).toEqual({ a: "12345678901234567890" })
  })
})
