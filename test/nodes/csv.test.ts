import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { csv } from "../../src/nodes/processing/Csv.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { fields, issues, of } from "./one.ts"

/** The fields that records get. */
const added = async (settings: Record<string, unknown>, texts: ReadonlyArray<string>) => {
  const { records, errors } = await of(csv, settings, texts)
  return { records: records.map(({ message: _, ...rest }) => rest), errors }
}

describe("the names of csv columns", () => {
  it("are automatic without any", async () => {
    expect(await added({}, ["big,bird,sesame street", 'x,"y,z"', ""])).toEqual({
      records: [
        { column1: "big", column2: "bird", column3: "sesame street" },
        { column1: "x", column2: "y,z" },
        { column1: "" }
      ],
      errors: []
    })
  })

  it("are automatic, or left out, beyond the given ones", async () => {
    const columns = ["first", "second"]
    const texts = ["1,2,3", "1"]
    expect((await added({ columns, autogenerate_column_names: true }, texts)).records).toEqual([
      { first: "1", second: "2", column3: "3" },
      { first: "1" }
    ])
    expect((await added({ columns, autogenerate_column_names: false }, texts)).records).toEqual([
      { first: "1", second: "2" },
      { first: "1" }
    ])
    expect((await added({ columns }, texts)).errors).toHaveLength(2)
  })

  it("come from a header", async () => {
    const settings = { autodetect_column_names: true, types: { bytes: "integer" } }
    const header = '\ufeff"time, local", bytes,,bytes,__proto__,[user][name],user'
    const { records, errors } = await added(settings, [header, "1,2,3,4,5,6,7", "1,2", header.slice(1)])
    expect(records).toEqual([
      { "time, local": "1", bytes: 2, column3: "3", bytes_4: "4", column5: "5", user: "7", "[user][name]": "6" }
    ])
    expect(errors).toEqual(["the record has 2 values for 7 columns", "the column bytes is not of type integer: bytes"])
    expect((await added({ ...settings, skip_header: true }, ["a,b", "1,2", "a,b", "3,4"])).records).toEqual([
      { a: "1", b: "2" },
      { a: "3", b: "4" }
    ])
    expect(await added(settings, ["", "a,b", "1,2"])).toEqual({
      records: [{ a: "1", b: "2" }],
      errors: ["the header has no names"]
    })
    expect(csv.isStateless?.(Schema.decodeUnknownSync(csv.settings)(settings))).toBe(false)
  })

  it("stay when an attempt goes on where another was", async () => {
    const settings = Schema.decodeUnknownSync(csv.settings)({ autodetect_column_names: true, skip_header: true })
    const memory = new Memory()
    const attempt = async (saved: unknown, texts: ReadonlyArray<string>) => {
      const context = { ...memory.nodeContext("csv"), position: { load: () => saved, save: () => {} } }
      const instance = await csv.start(settings, context)
      const records: Array<Event> = []
      const emit = (stream: string, batch: ReadonlyArray<Event>) => {
        if (stream === "*") records.push(...batch)
      }
      await instance.process?.(
        texts.map((message) => ({ message })),
        emit
      )
      return { records, position: JSON.parse(JSON.stringify(instance.position?.() ?? null)) }
    }
    const first = await attempt(undefined, ["a,b", "1,2"])
    expect(first).toEqual({ records: [{ message: "1,2", a: "1", b: "2" }], position: ["a", "b"] })
    const second = await attempt(first.position, ["3,4", "a,b"])
    expect(second).toEqual({ records: [{ message: "3,4", a: "3", b: "4" }], position: ["a", "b"] })
    expect((await attempt(undefined, [])).position).toBeNull()
  })

  it("may be nested", async () => {
    const columns = ["[source][ip]", "source.port", "plain", "[a][b][c]"]
    const { records } = await of(csv, { columns, target: "t", types: { "source.port": "integer" } }, [
      { message: "10.0.0.1,80,x,y", t: { source: { kept: 1 } } }
    ])
    expect(records[0]?.["t"]).toEqual({
      source: { kept: 1, ip: "10.0.0.1", port: 80 },
      plain: "x",
      a: { b: { c: "y" } }
    })
  })
})

describe("rows of csv", () => {
  it("are dropped when they are empty, or the header", async () => {
    const settings = { columns: ["a", "b"], skip_empty_rows: true, skip_header: true }
    expect(await added(settings, ["a,b", "", "  ", ",", '"",""', "1,", "b,a"])).toEqual({
      records: [
        { a: "1", b: "" },
        { a: "b", b: "a" }
      ],
      errors: []
    })
    expect((await added({ columns: ["a", "b"] }, ["", ","])).errors).toHaveLength(1)
  })
})

describe("types of csv columns", () => {
  const columns = ["a", "b", "c", "d"]

  it("are dates and times", async () => {
    const types = { a: "date", b: "date_time", c: "date", d: "date_time" }
    const day = "2017-06-01T00:00:00.000Z"
    expect(
      await fields(csv, { columns, types }, "2017-06-01,2001-02-03 04:05:06,, 2001-02-03T04:05:06+07:00 ")
    ).toEqual({
      a: day,
      b: "2001-02-03T04:05:06.000Z",
      c: null,
      d: "2001-02-02T21:05:06.000Z"
    })
    const zoned = { columns, types, timezone: "Europe/Paris", date_formats: ["dd.MM.yyyy", "ISO8601"] }
    expect(await fields(csv, zoned, "01.06.2017,2001-02-03 04:05:06,2017-06-01 23:59,1.1.1")).toMatch(
      /column d is not of type date_time: 1.1.1/
    )
    expect(await fields(csv, zoned, "01.06.2017,2001-02-03 04:05:06,2017-01-01 23:59,")).toEqual({
      a: "2017-05-31T22:00:00.000Z",
      b: "2001-02-03T03:05:06.000Z",
      c: "2016-12-31T23:00:00.000Z",
      d: null
    })
    for (const timezone of ["UTC", "Europe/Paris"]) {
      const text = await fields(csv, { columns, types, timezone }, "2017-02-29,,,")
      expect(text, timezone).toMatch(/column a is not of type date/)
    }
  })

  it("have the day of a moment that its zone has then", async () => {
    const dayOf = async (timezone: string, text: string) => {
      const settings = { columns: ["a"], types: { a: "date" }, timezone, date_formats: ["ISO8601", "UNIX"] }
      return ((await fields(csv, settings, text)) as { a?: unknown }).a
    }
    const evening = "2026-01-01T23:00:00-05:00"
    expect(await dayOf("America/New_York", evening)).toBe("2026-01-01T05:00:00.000Z")
    expect(await dayOf("America/New_York", "1767326400")).toBe("2026-01-01T05:00:00.000Z")
    expect(await dayOf("America/New_York", "2026-01-01T23:00:00")).toBe("2026-01-01T05:00:00.000Z")
    expect(await dayOf("Europe/Paris", evening)).toBe("2026-01-01T23:00:00.000Z")
    expect(await dayOf("UTC", evening)).toBe("2026-01-02T00:00:00.000Z")
    expect(await dayOf("Asia/Tokyo", "2026-01-01T23:00:00Z")).toBe("2026-01-01T15:00:00.000Z")
    // Midnight was skipped there, and a whole day before.
    expect(await dayOf("America/Sao_Paulo", "2018-11-04T12:00:00Z")).toBe("2018-11-04T03:00:00.000Z")
    expect(await dayOf("Pacific/Apia", "2011-12-30T12:00:00Z")).toBe("2011-12-30T10:00:00.000Z")
  })

  it("keep the digits of numbers", async () => {
    const types = { a: "float", b: "float", c: "integer" }
    expect(
      await fields(csv, { columns, types }, "0.12345678901234567890123,12345678.25,+9007199254740993,1.0")
    ).toEqual({
      a: "0.12345678901234567890123",
      b: 12345678.25,
      c: "9007199254740993",
      d: "1.0"
    })
  })
})

describe("settings of csv", () => {
  it("are refused when they contradict each other", () => {
    expect(issues(csv, { columns: ["a", "a.b", "[a]"] })).toEqual(["columns/1", "columns/2"])
    expect(issues(csv, { columns: ["a", "[x][__proto__]"] })).toEqual(["columns/1"])
    expect(issues(csv, { columns: ["a"], autodetect_column_names: true })).toEqual(["autodetect_column_names"])
    expect(issues(csv, { skip_header: true, types: { column2: "integer", other: "float" } })).toEqual([
      "types/other",
      "skip_header"
    ])
    expect(issues(csv, { columns: ["a"], types: { column2: "integer" } })).toEqual(["types/column2"])
    expect(issues(csv, { date_formats: ["yyyy-QQ"], timezone: "Mars/Base" })).toEqual(["date_formats/0", "timezone"])
  })
})

describe("csv gives back", () => {
  const Cell = Schema.Array(Schema.Literals(["a", "1", '"', ",", ";", "\n", " ", "é", "'"])).check(
    Schema.isMaxLength(5)
  )
  it.effect.prop(
    "what was written with a header",
    {
      rows: Schema.Array(Schema.Tuple([Cell, Cell, Cell])).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
      separator: Schema.Literals([",", ";", "||"]),
      quote: Schema.Literals(['"', "'"])
    },
    ({ rows, separator, quote }) =>
      Effect.promise(async () => {
        const needed = new RegExp(`[\\s${quote}${separator}]|^$`)
        const write = (cells: ReadonlyArray<string>) =>
          cells
            .map((cell) => (needed.test(cell) ? `${quote}${cell.replaceAll(quote, quote + quote)}${quote}` : cell))
            .join(separator)
        const names = ["x", "the y", "z.z"]
        const texts = rows.map((row) => row.map((parts) => parts.join("")))
        const settings = { autodetect_column_names: true, separator, quote }
        const { records, errors } = await added(settings, [names, ...texts].map(write))
        expect(errors).toEqual([])
        expect(records).toEqual(texts.map(([x, y, z]) => ({ x, "the y": y, z: { z } })))
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})
