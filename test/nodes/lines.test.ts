import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { type Encoding, encodings } from "../../src/languages/Encoding.ts"
import { fileInput } from "../../src/nodes/inputs/FileInput.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { seed } from "../support/random.ts"
import { Memory, run } from "./memory.ts"
import { issues } from "./one.ts"

type Given = Readonly<Record<string, unknown>>

/** What an input reads of a file, and how many bytes it replaced. */
const read = async (given: Given, chunks: ReadonlyArray<Uint8Array>, path = "a.log") => {
  const streams: { "*": Array<Event>; errors: Array<Event> } = { "*": [], errors: [] }
  let replaced = 0
  const context = {
    ...new Memory({ [path]: chunks }).nodeContext("in"),
    replaced: (bytes: number) => {
      replaced += bytes
    }
  }
  const settings = Schema.decodeUnknownSync(fileInput.settings)({ path, ...given })
  const instance = await fileInput.start(settings, context)
  await instance.run!((stream, batch) => void streams[stream === "errors" ? "errors" : "*"].push(...batch))
  return { records: streams["*"], errors: streams.errors, replaced }
}

const messages = (records: ReadonlyArray<Event>) => records.map(({ message }) => message)

const cut = (bytes: Uint8Array, places: ReadonlyArray<number>) => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index]!, end))
}

/** Windows-1252 differs from Latin-1 in 32 bytes, of which these are some. */
const windows = new Map([
  ["€", 0x80],
  ["„", 0x84],
  ["™", 0x99]
])

const encode = (text: string, encoding: Encoding): Buffer => {
  if (encoding === "utf-8") return Buffer.from(text)
  if (encoding === "latin1") return Buffer.from(text, "latin1")
  if (encoding === "windows-1252") return Buffer.from([...text].map((one) => windows.get(one) ?? one.charCodeAt(0)))
  const bytes = Buffer.from(text, "utf16le")
  return encoding === "utf-16be" ? bytes.swap16() : bytes
}

/** Parts of lines. Those of two bytes contain the byte of a line end in UTF-16 (U+0A0A, U+010A, U+0A00). */
const parts: Readonly<Record<Encoding, ReadonlyArray<string>>> = {
  "utf-8": ["", "a", "é", "€😀", "\u0a0a", "\ufffd", "\ufeffx"],
  latin1: ["", "a", "é", "ÿ", "\u0085", "\u00a0"],
  "windows-1252": ["", "a", "é", "€„", "™", "ÿ"],
  "utf-16": ["", "a", "é", "€😀", "\u0a0a\u010a", "\u0a41\u0100\u0a41", "\ufffd"],
  "utf-16le": ["", "a", "é", "€😀", "\u0a0a\u010a", "\u0a41\u0100\u0a41", "\ufffd"],
  "utf-16be": ["", "a", "é", "€😀", "\u0a0a\u010a", "\u0a41\u0100\u0a41", "\ufffd"]
}

const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 41 })))
const Places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5000 })))

/** A text with its lines and their start positions. */
const textOf = (picks: ReadonlyArray<number>, encoding: Encoding, marked: boolean, ended: boolean) => {
  const own = parts[encoding]
  const lines = picks.map((pick) => own[pick % own.length]! + own[(pick * 5) % own.length]!)
  const ends = picks.map((pick, at) => (at === picks.length - 1 && !ended ? "" : pick % 2 === 0 ? "\n" : "\r\n"))
  // Without a line end there is no last empty line.
  const last = lines.at(-1) === "" && !ended ? lines.slice(0, -1) : lines
  const mark = marked && !["latin1", "windows-1252"].includes(encoding) ? "\ufeff" : ""
  const offsets: Array<number> = []
  let bytes = Buffer.alloc(0)
  lines.forEach((line, at) => {
    offsets.push(bytes.length)
    bytes = Buffer.concat([bytes, encode((at === 0 ? mark : "") + line + ends[at], encoding)])
  })
  return {
    lines: mark === "" ? last.map((line, at) => (at === 0 ? line.replace(/^\ufeff/, "") : line)) : last,
    offsets,
    bytes
  }
}

describe("an encoding", () => {
  for (const encoding of encodings) {
    it.effect.prop(
      `${encoding} gives the same lines and places, however the bytes are cut`,
      { picks: Picks, places: Places, marked: Schema.Boolean, ended: Schema.Boolean },
      ({ picks, places, marked, ended }) =>
        Effect.promise(async () => {
          const { lines, offsets, bytes } = textOf(picks, encoding, marked, ended)
          const { records, errors, replaced } = await read({ encoding, source: true }, cut(bytes, places))
          expect(errors).toEqual([])
          expect(replaced).toBe(0)
          expect(records).toEqual(
            lines.map((message, at) => ({ message, _source: { file: "a.log", line: at + 1, offset: offsets[at] } }))
          )
          expect(messages((await read({ encoding }, cut(bytes, places))).records)).toEqual(lines)
        }),
      { arbitrary: { seed, runs: 200 } }
    )
  }

  it("counts the bytes that it does not have, and keeps the lines around them", async () => {
    const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x0a, 0xe2, 0x82, 0x0a, 0xef, 0xbf, 0xbd, 0x0a, 0xe9])
    for (const given of [{}, { source: true }]) {
      const { records, replaced } = await read(given, cut(bytes, [1, 2, 5, 6, 8]))
      expect(messages(records)).toEqual(["a\ufffd\ufffd", "\ufffd", "\ufffd", "\ufffd"])
      expect(replaced).toBe(5)
    }
    const sourced = await read({ source: true }, [bytes])
    expect(sourced.records.map((record) => record["_source"])).toEqual(
      [0, 4, 7, 11].map((offset, at) => ({ file: "a.log", line: at + 1, offset }))
    )
    // A low surrogate alone, and half a unit at the end.
    const wide = await read({ encoding: "utf-16le" }, [Buffer.from([0x00, 0xdc, 0x0a, 0x00, 0x61, 0x00, 0x62])])
    expect(messages(wide.records)).toEqual(["\ufffd", "a\ufffd"])
    expect(wide.replaced).toBe(3)
    expect((await read({ encoding: "latin1" }, [bytes])).replaced).toBe(0)
  })

  it("has no record in a file of its byte order mark only", async () => {
    for (const encoding of ["utf-8", "utf-16", "utf-16le", "utf-16be"] as const) {
      for (const format of ["lines", "csv", "ndjson"]) {
        for (const given of [{}, { source: true }, { multiline: { start: "^a" } }]) {
          if (format !== "lines" && "multiline" in given) continue
          const marks = encoding === "utf-16" ? (["utf-16le", "utf-16be"] as const) : [encoding]
          for (const mark of marks.map((one) => encode("\ufeff", one))) {
            for (const chunks of [[mark], cut(mark, [1])]) {
              const what = `${encoding} ${format} ${JSON.stringify(given)}`
              expect(await read({ encoding, format, ...given }, chunks), what).toEqual({
                records: [],
                errors: [],
                replaced: 0
              })
            }
          }
        }
      }
      expect(messages((await read({ encoding, source: true }, [encode("\ufeff\n", encoding)])).records)).toEqual([""])
    }
  })

  it("is that of csv and ndjson too", async () => {
    for (const encoding of encodings) {
      const csv = encode("ä,b\n1,é\n", encoding)
      expect((await read({ encoding, format: "csv" }, cut(csv, [1, 3, 9]))).records).toEqual([{ ä: "1", b: "é" }])
      const json = encode('{"a":"é"}\n', encoding)
      expect((await read({ encoding, format: "ndjson" }, cut(json, [7]))).records).toEqual([{ a: "é" }])
    }
  })

  it("skips a line that is too long, wherever it ends", async () => {
    for (const encoding of ["utf-8", "utf-16be"] as const) {
      const text = `first\n${"x".repeat(5_000_000)}\nlast\n`
      const bytes = encode(text, encoding)
      const places = Array.from({ length: 40 }, (_, at) => at * 262_143 + 1)
      const { records, errors } = await read({ encoding, source: true }, cut(bytes, places))
      expect(messages(records)).toEqual(["first", "last"])
      const offset = bytes.length - encode("last\n", encoding).length
      expect(records[1]).toEqual({ message: "last", _source: { file: "a.log", line: 3, offset } })
      expect(errors).toMatchObject([{ message: "x".repeat(256), _source: { line: 2 } }])
    }
  })

  it("is refused where there is none", () => {
    expect(issues(fileInput, { path: "a.parquet", encoding: "latin1" })).toEqual(["encoding"])
    expect(issues(fileInput, { path: "a.log", encoding: "ebcdic" })).toEqual(["encoding"])
  })
})

describe("_source", () => {
  const cells = ["a", "", '"', ",", "\n", " \r\n", "é€😀", "x y", '""', "1"]
  const Rows = Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))))
  it.effect.prop(
    "of a csv row is where the row begins, and changes nothing else",
    { rows: Rows, places: Places, broken: Schema.Boolean },
    ({ rows, places, broken }) =>
      Effect.promise(async () => {
        const quoted = (text: string) => (text === "" ? "" : `"${text.replaceAll('"', '""')}"`)
        const texts = rows.map((row) => `${row.map((cell) => quoted(cells[cell]!)).join(",")}\n`)
        const text = `k,l\n${texts.join("")}${broken ? 'x,"y"z\n1,2\n3,"never closed\n5,6\n' : ""}`
        const bytes = Buffer.from(text)
        const plain = await read({ format: "csv" }, cut(bytes, places))
        const { records, errors } = await read({ format: "csv", source: true }, cut(bytes, places))
        const bare = (events: ReadonlyArray<Event>) => events.map(({ _source: _, ...rest }) => rest)
        expect(bare(records)).toEqual(plain.records)
        expect(bare(errors)).toEqual(plain.errors)
        for (const event of [...records, ...errors]) {
          const { line, offset, file } = event["_source"] as { file: string; line: number; offset: number }
          expect(file).toBe("a.log")
          const before = bytes.subarray(0, offset).toString()
          expect(before.split("\n").length).toBe(line)
          expect(before === "" || before.endsWith("\n")).toBe(true)
          const cells = (event["cells"] ?? Object.values(bare([event])[0]!)) as ReadonlyArray<string>
          const begins = bytes.subarray(offset).toString()
          if (event["error"] === undefined)
            expect(begins.startsWith(cells[0] === "" ? "," : quoted(cells[0]!)) || begins.startsWith(cells[0]!)).toBe(
              true
            )
        }
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it("stands in what the input itself rejects, and replaces a member of that name", async () => {
    const { records, errors } = await read({ format: "ndjson", source: true }, [
      Buffer.from('{"a":1,"_source":"mine"}\n\nno json\n')
    ])
    expect(records).toEqual([{ a: 1, _source: { file: "a.log", line: 1, offset: 0 } }])
    expect(errors).toMatchObject([{ message: "no json", _source: { file: "a.log", line: 3, offset: 26 } }])
    // Without the setting a member of that name is the record's own.
    const own = await read({ format: "ndjson" }, [Buffer.from('{"_source":"mine"}\n')])
    expect(own.records).toEqual([{ _source: "mine" }])
  })
})

describe("the place of a record", () => {
  const place = (line: number, offset: number) => ({ file: "a.log", line, offset })
  const input = { type: "file_input", component: "in", settings: { path: "a.log", source: true } }
  const through = async (type: string, settings: Given, text: string) => {
    const memory = new Memory({ "a.log": text })
    await run(
      {
        runtime: "stream",
        dag: [
          { ...input, publish: [{ stream: "s" }] },
          {
            type,
            component: "it",
            settings,
            subscribe: [{ component: "in", stream: "s" }],
            publish: [{ stream: "s" }, { stream: "errors" }]
          },
          { type: "file_output", settings: { path: "o.ndjson" }, subscribe: [{ component: "it", stream: "s" }] },
          {
            type: "file_output",
            component: "e",
            settings: { path: "e.ndjson" },
            subscribe: [{ component: "it", stream: "errors" }]
          }
        ]
      },
      memory
    )
    const read = (name: string) =>
      (memory.written.get(name) ?? "")
        .split("\n")
        .slice(0, -1)
        .map((line): Event => JSON.parse(line)["_source"])
    return { records: read("o.ndjson"), errors: read("e.ndjson") }
  }

  const cases: ReadonlyArray<readonly [string, Given, string]> = [
    ["grok", { patterns: ["^%{WORD:a} %{INT:b}"] }, "ab 1\nno\n"],
    ["dissect", { pattern: "%{a} %{b}" }, "ab 1\nno\n"],
    ["json", {}, '{"_source":{"file":"of the record"},"a":1}\nno\n'],
    ["csv", { columns: ["a"], types: { a: "integer" } }, "1\nno\n"],
    ["kv", { field: "message", target: "it" }, "a=1\n"],
    ["date", { field: "message", formats: ["ISO8601"] }, "2026-01-02T03:04:05Z\nno\n"],
    [
      "flowlet",
      { code: "function process(event) { if (event.message === 'no') throw 'no'; return { only: 1 } }" },
      "a\nno\n"
    ],
    ["mutate", { operations: [{ convert: { message: "integer" } }] }, "12\nno\n"]
  ]
  for (const [type, settings, text] of cases) {
    it(`survives ${type}, and its errors`, async () => {
      const { records, errors } = await through(type, settings, text)
      expect(records).toEqual([place(1, 0)])
      expect(errors).toEqual(text.includes("no\n") ? [place(2, text.indexOf("\n") + 1)] : [])
    })
  }

  it("comes from each record when a program makes several of one, and can be taken away", async () => {
    const twice = await through(
      "flowlet",
      { code: "function process(event) { return [{ a: 1 }, { a: 2 }] }" },
      "a\nb\n"
    )
    expect(twice.records).toEqual([place(1, 0), place(1, 0), place(2, 2), place(2, 2)])
    expect((await through("mutate", { operations: [{ remove: ["_source"] }] }, "a\n")).records).toEqual([undefined])
  })
})
