import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { parseJson } from "../../src/languages/json/JsonValue.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { httpOutput } from "../../src/nodes/outputs/HttpOutput.ts"
import { csv } from "../../src/nodes/processing/Csv.ts"
import { date } from "../../src/nodes/processing/Date.ts"
import { json } from "../../src/nodes/processing/Json.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { seed } from "../support/random.ts"
import { fields, issues, of } from "./one.ts"

describe("json", () => {
  it("adds members, or puts any value below a target", async () => {
    expect(await fields(json, {}, '{"a":{"b":[1,null]},"n":9007199254740993}')).toEqual({
      a: { b: [1, null] },
      n: "9007199254740993"
    })
    expect(await fields(json, { target: "x.y" }, "[1]")).toEqual({ x: { y: [1] } })
    expect(await fields(json, {}, "[1]")).toMatch(/not an object/)
    expect(await fields(json, {}, "{")).toMatch(/not JSON/)
    expect(await fields(json, {}, `{"a":${"[".repeat(300)}${"]".repeat(300)}}`)).toMatch(/deeper/)
  })

  it("keeps odd names, and changes no prototype", async () => {
    const { records } = await of(json, {}, ['{"__proto__":{"x":1},"constructor":2}'])
    expect(JSON.stringify(records)).toBe(
      '[{"message":"{\\"__proto__\\":{\\"x\\":1},\\"constructor\\":2}","__proto__":{"x":1},"constructor":2}]'
    )
    expect(({} as Event)["x"]).toBeUndefined()
  })

  it("fails records without the field, or with one that is no text", async () => {
    const { records, errors } = await of(json, { field: "[a][b]" }, [
      { a: { b: '{"c":1}' } },
      { a: {} },
      { a: { b: {} } }
    ])
    expect([records, errors]).toEqual([
      [{ a: { b: '{"c":1}' }, c: 1 }],
      ["the field [a][b] is missing", "the field [a][b] is not a text"]
    ])
    expect((await of(json, { field: "x", ignore_missing: true }, [{ y: 1 }])).records).toEqual([{ y: 1 }])
  })

  it.effect.prop(
    "gives back what was written",
    { value: Schema.Record(Schema.String, Schema.Json) },
    ({ value }) =>
      Effect.promise(async () => {
        const { records } = await of(json, { target: "out" }, [JSON.stringify(value)])
        expect(JSON.parse(JSON.stringify(records[0]?.["out"]))).toEqual(parseJson(JSON.stringify(value)))
      }),
    { arbitrary: { seed } }
  )
})

describe("kv", () => {
  it("reads pairs, quotes, brackets and repeated keys", async () => {
    expect(await fields(kv, {}, 'a=1 b="x \\" y" c=\'z w\' d=[in brackets] e=(f) junk a=2 empty= ')).toEqual({
      a: ["1", "2"],
      b: 'x " y',
      c: "z w",
      d: "in brackets",
      e: "f"
    })
    expect(await fields(kv, { field_split: "&;", value_split: ":=" }, "a:1&b=2;c:3")).toEqual({
      a: "1",
      b: "2",
      c: "3"
    })
    expect(await fields(kv, {}, 'a="never closed b=1')).toEqual({ a: '"never', b: "1" })
  })

  it("chooses, renames, trims and fills in", async () => {
    const settings = {
      include_keys: ["a", "b"],
      exclude_keys: ["b"],
      prefix: "p_",
      trim_key: "<>",
      trim_value: ",.",
      default_keys: { z: "0" }
    }
    expect(await fields(kv, settings, "<a>=1,. b=2 c=3")).toEqual({ p_a: "1", p_z: "0" })
    expect(await fields(kv, { allow_duplicate_values: false, allow_empty_values: true }, "a=1 a=1 a=2 b=")).toEqual({
      a: ["1", "2"],
      b: ""
    })
    expect(await fields(kv, {}, "__proto__=1 constructor=2 ok=3")).toEqual({ ok: "3" })
    expect(issues(kv, { target: "__proto__", default_keys: { constructor: "x" } })).toEqual([
      "target",
      "default_keys/constructor"
    ])
  })

  it("reads a long text without looking at it again and again", async () => {
    const count = 300_000
    expect(await fields(kv, {}, "a=( ".repeat(count))).toEqual({ a: Array(count).fill("(") })
    const distinct = Array.from({ length: count }, (_, at) => `a=${at}`)
    const found = await fields(kv, { allow_duplicate_values: false }, distinct.join(" "))
    expect(found).toEqual({ a: distinct.map((pair) => pair.slice(2)) })
  })
})

describe("csv", () => {
  const columns = ["a", "b", "c"]
  it("names the values of a record, quoted or not, and gives them types", async () => {
    expect(await fields(csv, { columns }, '1,"x, ""y""\nz",')).toEqual({ a: "1", b: 'x, "y"\nz', c: "" })
    expect(await fields(csv, { columns, separator: ";", quote: "" }, '1;"x;')).toEqual({ a: "1", b: '"x', c: "" })
    const types = { a: "integer", b: "float", c: "boolean" }
    expect(await fields(csv, { columns, types }, "9007199254740993,1e3,TRUE")).toEqual({
      a: "9007199254740993",
      b: 1000,
      c: true
    })
    expect(await fields(csv, { columns, types }, " 12 ,,")).toEqual({ a: 12, b: null, c: null })
    expect(await fields(csv, { columns, types }, "x,1,true")).toMatch(/column a is not of type integer: x/)
    expect(await fields(csv, { columns, skip_empty_columns: true }, "1,,3")).toEqual({ a: "1", c: "3" })
  })

  it("fails ragged and broken records, each with its reason", async () => {
    const { records, errors } = await of(csv, { columns, target: "t" }, [
      "1,2,3",
      "1,2",
      "1,2,3,4",
      '1,"2,3',
      "1,2,3\n4,5,6"
    ])
    expect(records).toEqual([{ message: "1,2,3", t: { a: "1", b: "2", c: "3" } }])
    expect(errors).toEqual([
      expect.stringContaining("2 values for 3"),
      expect.stringContaining("4 values for 3"),
      expect.stringContaining("not valid csv"),
      expect.stringContaining("more than one")
    ])
    expect(issues(csv, { columns: ["a", "a", "__proto__"], types: { z: "float" } })).toEqual(["columns/2", "types/z"])
  })

  it.effect.prop(
    "gives back what RFC 4180 writes",
    { values: Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(5)) },
    ({ values: given }) =>
      Effect.promise(async () => {
        // Files are UTF-8, which has no half characters.
        const values = given.map((value) => value.toWellFormed())
        const names = values.map((_, at) => `c${at}`)
        const text = values.map((value) => `"${value.replaceAll('"', '""')}"`).join(",")
        expect(await fields(csv, { columns: names }, text)).toEqual(
          Object.fromEntries(values.map((value, at) => [names[at], value]))
        )
      }),
    { arbitrary: { seed } }
  )
})

describe("date", () => {
  const time = async (formats: ReadonlyArray<string>, text: string, more: object = {}) => {
    const found = await fields(date, { field: "message", formats, ...more }, text)
    return typeof found === "string" ? found : found?.["@timestamp"]
  }
  it("reads times of many formats, in UTC or a zone", async () => {
    expect(await time(["dd/MMM/yyyy:HH:mm:ss Z"], "09/Mar/2026:00:01:40 +0100")).toBe("2026-03-08T23:01:40.000Z")
    expect(await time(["UNIX", "ISO8601"], "2026-02-28T12:00:00.1234Z")).toBe("2026-02-28T12:00:00.123Z")
    expect(await time(["UNIX"], "1750000000.5")).toBe("2025-06-15T15:06:40.500Z")
    expect(await time(["UNIX_MS"], "1750000000123")).toBe("2025-06-15T15:06:40.123Z")
    expect(await time(["MMM dd HH:mm:ss"], "Feb 29 10:00:00", { year: 2028 })).toBe("2028-02-29T10:00:00.000Z")
    expect(await time(["yyyy-MM-dd HH:mm"], "2026-07-01 12:00", { timezone: "Europe/Paris" })).toBe(
      "2026-07-01T10:00:00.000Z"
    )
    expect(await time(["yyyy-MM-dd HH:mm Z"], "2026-07-01 12:00 +0000", { timezone: "Europe/Paris" })).toBe(
      "2026-07-01T12:00:00.000Z"
    )
    expect(await time(["dd.MM.yy"], "01.02.69")).toBe("2069-02-01T00:00:00.000Z")
    expect(await time(["dd.MM.yy"], "01.02.70")).toBe("1970-02-01T00:00:00.000Z")
  })

  it("takes the first of the two times when clocks go back, and moves on over the gap", async () => {
    const paris = { timezone: "Europe/Paris" }
    expect(await time(["yyyy-MM-dd HH:mm"], "2026-10-25 02:30", paris)).toBe("2026-10-25T00:30:00.000Z")
    expect(await time(["yyyy-MM-dd HH:mm"], "2026-03-29 02:30", paris)).toBe("2026-03-29T01:30:00.000Z")
    expect(await time(["yyyy-MM-dd HH:mm"], "2026-03-29 03:30", paris)).toBe("2026-03-29T01:30:00.000Z")
  })

  it("fails what fits no format, and refuses formats and zones that are none", async () => {
    expect(await time(["yyyy-MM-dd"], "2026-02-30")).toMatch(/no format matches/)
    expect(await time(["ISO8601"], "yesterday")).toMatch(/no format matches/)
    expect(issues(date, { formats: ["yyyy-QQ"], timezone: "Mars/Base", target: "__proto__" })).toEqual([
      "formats/0",
      "target",
      "timezone"
    ])
  })
})

describe("http_output", () => {
  it("refuses headers that could never be sent", () => {
    const headers = { "x-ok": "a b\tc", "a b": "x", "": "x", host: "x", "Content-Length": "5", bad: "a\nb", wide: "€" }
    expect(issues(httpOutput, { url: "http://127.0.0.1:1/", headers })).toEqual([
      "headers/a b",
      "headers/",
      "headers/host",
      "headers/Content-Length",
      "headers/bad",
      "headers/wide"
    ])
  })
})
