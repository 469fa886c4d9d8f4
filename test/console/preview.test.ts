import { constants, zstdCompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { separatorOf } from "../../packages/console/src/parts/preview/csv.ts"
import { kindOf } from "../../packages/console/src/parts/preview/kinds.ts"
import { textRows } from "../../packages/console/src/parts/preview/rows.ts"
import { unzstd } from "../../packages/console/src/parts/preview/Zstd.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("data in zstd", () => {
  it.prop(
    "are what they were, however they were compressed",
    {
      words: Schema.Array(Schema.String),
      times: whole(1, 400),
      noise: whole(0, 3000),
      level: whole(1, 19),
      seed: whole(1, 1e6)
    },
    ({ words, times, noise, level, seed }) => {
      let state = seed
      const next = () => (state = (state * 48_271) % 2_147_483_647)
      const text = Buffer.from(
        Array.from({ length: times }, () => words[next() % Math.max(1, words.length)] ?? "").join(" ")
      )
      const bytes = Buffer.concat([
        text,
        Buffer.from(Array.from({ length: noise }, () => next() % (2 + (seed % 250)))),
        text
      ])
      const params = {
        [constants.ZSTD_c_compressionLevel]: level,
        [constants.ZSTD_c_checksumFlag]: seed % 2
      }
      const packed = zstdCompressSync(bytes, { params })
      expect(Buffer.from(unzstd(packed, bytes.length)).equals(bytes)).toBe(true)
    },
    { arbitrary: { runs: 150 } }
  )

  it("are what they were, also when they are large", () => {
    for (const level of [1, 3, 9, 19]) {
      const lines = Array.from({ length: 30_000 }, (_, at) => `${at % 977} ${(at * 7919) % 104_729} GET /a/${at % 13}`)
      const bytes = Buffer.from(lines.join("\n"))
      const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } })
      expect(Buffer.from(unzstd(packed, bytes.length)).equals(bytes)).toBe(true)
    }
  })

  it.prop(
    "end with a failure when they are faulty, and never run on",
    { place: whole(4, 100_000), value: whole(0, 255) },
    ({ place, value }) => {
      const bytes = Buffer.from(Array.from({ length: 4000 }, (_, at) => `${at % 97} ${at % 31}`).join("\n"))
      const packed = Buffer.from(zstdCompressSync(bytes))
      packed[place % packed.length] = value
      try {
        expect(unzstd(packed, bytes.length).length).toBe(bytes.length)
      } catch (error) {
        expect(String(error)).toContain("The compressed data (zstd) is faulty")
      }
    },
    { arbitrary: { runs: 200 } }
  )
})

const streamOf = (bytes: Uint8Array<ArrayBuffer>, size: number) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    }
  })

const cell = Schema.String

/** The rows of a csv file that arrives in parts of this size. */
const csvRowsOf = async (text: string, size = 1000, kind: "csv" | "tsv" = "csv") => {
  const read = textRows(streamOf(new TextEncoder().encode(text), size), kind, false)
  const rows: Array<{ readonly number: number; readonly cells: ReadonlyMap<string, unknown> }> = []
  while (!read.isEnd()) rows.push(...(await read.next(10_000)))
  return { columns: read.columns?.(), rows, cells: rows.map((row) => [...row.cells.values()]) }
}

describe("rows of csv", () => {
  it.effect.prop(
    "are the cells that were written, however the bytes come",
    {
      rows: Schema.Array(Schema.Tuple([cell, cell])),
      size: whole(1, 50),
      end: Schema.Literals(["\n", "\r\n", "\r"]),
      separator: Schema.Literals([",", ";", "\t", "|"])
    },
    ({ rows, size, end, separator }) =>
      Effect.promise(async () => {
        const quoted = (text: string) => `"${text.toWellFormed().replaceAll('"', '""')}"`
        const text = [["a", "b"], ...rows].map((row) => row.map(quoted).join(separator) + end).join("")
        const found = await csvRowsOf(text, size)
        expect(found.columns).toEqual(["a", "b"])
        // A line end within a cell is one character, whatever it was in the file.
        expect(found.cells).toEqual(rows.map((row) => row.map((one) => one.toWellFormed().replaceAll(/\r\n?/g, "\n"))))
        expect(found.rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1))
      }),
    { arbitrary: { runs: 100 } }
  )

  it("may be unquoted, short, or have columns of one name", async () => {
    const { columns, rows } = await csvRowsOf("\ufeffa,a,\n1,2,3,4\n\n5", 3)
    expect(columns).toEqual(["a", "a (2)", "Column 3"])
    expect(rows.map(({ cells }) => Object.fromEntries(cells))).toEqual([
      { a: "1", "a (2)": "2", "Column 3": "3", "Column 4": "4" },
      { a: "5" }
    ])
    expect((await csvRowsOf('h,i,j,k,l\na,"b ""x"", c",,d,')).cells).toEqual([["a", 'b "x", c', "", "d", ""]])
    expect((await csvRowsOf('h,i,j\na,,"b,c"\n,x"y,')).cells).toEqual([
      ["a", "", "b,c"],
      ["", 'x"y', ""]
    ])
    expect(await csvRowsOf("")).toEqual({ columns: [], rows: [], cells: [] })
    expect((await csvRowsOf("a,b\n")).columns).toEqual(["a", "b"])
  })

  it("may end anywhere, and their lines end in all three ways", async () => {
    expect((await csvRowsOf('a\n"open\nend')).cells).toEqual([["open\nend"]])
    expect((await csvRowsOf('a\n"x\r\ny"\n', 1)).cells).toEqual([["x\ny"]])
    expect((await csvRowsOf('a,b\r\n1,"2"\r\n3,4\n"5","6"\r7,8\r', 1)).cells).toEqual([
      ["1", "2"],
      ["3", "4"],
      ["5", "6"],
      ["7", "8"]
    ])
  })

  it("have the separator that makes most columns of the first row", () => {
    expect(["a,b;c,d", "a;b\n1,5;2,5", "a\tb", '"a,b,c"|d', "plain"].map(separatorOf)).toEqual([
      ",",
      ";",
      "\t",
      "|",
      ","
    ])
  })

  it("have the separator that the name says", async () => {
    expect((await csvRowsOf("a,b,c\td\n1,2\t3", 10, "tsv")).cells).toEqual([["1,2", "3"]])
  })

  it("stay apart where quotes are not those of csv", async () => {
    const line = '"GET /" 200,done\n'
    const { cells } = await csvRowsOf(`a,b\n${line.repeat(5000)}`)
    expect(cells).toEqual(Array.from({ length: 5000 }, () => ['"GET /" 200', "done"]))
  })

  it("are as they are where the text is cut between a quote, spaces and a separator", async () => {
    // The file is parsed in parts of 16 Ki units.
    for (let before = 16_370; before < 16_390; before++) {
      const first = "x".repeat(before - 6)
      expect((await csvRowsOf(`a,b\n"${first}"\n"y"   ,z\n`)).cells).toEqual([[first], ["y", "z"]])
    }
  })

  it("that have no end take no more than a megabyte", async () => {
    for (const begin of ["", '"', "1,"]) {
      const bytes = new TextEncoder().encode(`a,b\n${begin}${"x".repeat(5_000_000)}`)
      const read = textRows(streamOf(bytes, 65_536), "csv", false)
      for (const { cells } of await read.next(3)) {
        for (const cell of cells.values()) expect(String(cell).length).toBeLessThanOrEqual(1024 * 1024)
      }
      read.close()
    }
  })
})

describe("other rows", () => {
  it("are those of ndjson, and lines that are none are kept as text", async () => {
    const text = '{"a":{"b":1},"c":[1]}\nno json\n[1]\n'
    const read = textRows(streamOf(new TextEncoder().encode(text), 7), "ndjson", false)
    const rows = await read.next(2)
    expect(rows.map(({ cells }) => [...cells])).toEqual([
      [
        ["a.b", 1],
        ["c", [1]]
      ],
      []
    ])
    expect(rows[1]!.text).toBe("no json")
    expect((await read.next(5)).map(({ text }) => text)).toEqual(["[1]"])
  })

  it("of a line without an end take no more than a megabyte", async () => {
    const read = textRows(streamOf(new Uint8Array(5_000_000).fill(120), 65_536), "log", false)
    for (const { text = "" } of await read.next(3)) expect(text.length).toBeLessThanOrEqual(1024 * 1024)
    read.close()
  })

  it("are chosen by the name", () => {
    const names = ["a.csv", "a.csv.gz", "b.ndjson", "c.PARQUET", "d.log", "e", "f.zip", "g.svg"]
    expect(names.map((name) => kindOf(name))).toEqual([
      { kind: "csv", isGzip: false },
      { kind: "csv", isGzip: true },
      { kind: "ndjson", isGzip: false },
      { kind: "parquet", isGzip: false },
      { kind: "log", isGzip: false },
      { kind: "text", isGzip: false },
      { kind: "binary", isGzip: false },
      { kind: "picture", isGzip: false }
    ])
  })
})
