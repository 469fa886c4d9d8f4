import { assert, layer, type Vitest } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"
import { isSame } from "./generated.ts"

const documents: ReadonlyArray<readonly [id: string, source: string]> = [
  ["plain", '{"@timestamp":"2026-03-10T00:00:00Z","a":{"b":{"c":1}},"n":5,"e":[],"z":null}'],
  ["dots", '{"a.b":{"c":2},"a":{"b.c":3},"a.b.c.d":4}'],
  ["empty", '{"":1," ":2,"a":{"":{"b":7}}}'],
  ["proto", '{"__proto__":{"x":1},"constructor":"c","hasOwnProperty":5,"toString":null}'],
  ["quotes", '{"q\\"x":1,"it\'s":2,"b\\\\s":3,"$":4,"@":5,"[0]":6,"a,b":7,"new\\nline":8,"v0":9}'],
  ["lists", '{"users":[{"name":"ann","age":3},{"name":"bob"},{"name":["c","d"]},7,null],"m":[[1,2],[[3]]]}'],
  ["many", JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field_${n}`, n])))]
]

const finds: ReadonlyArray<readonly [query: object, ids: ReadonlyArray<string>]> = [
  [{ term: { "a.b.c": 1 } }, ["plain"]],
  [{ term: { "a.b.c": 2 } }, ["dots"]],
  [{ term: { "a.b.c": 3 } }, ["dots"]],
  [{ term: { "a.b.c.d": 4 } }, ["dots"]],
  [{ term: { " ": 2 } }, ["empty"]],
  [{ term: { "a..b": 7 } }, ["empty"]],
  [{ term: { "__proto__.x": 1 } }, ["proto"]],
  [{ term: { constructor: "c" } }, ["proto"]],
  [{ exists: { field: "toString" } }, []],
  [{ term: { 'q"x': 1 } }, ["quotes"]],
  [{ term: { "it's": 2 } }, ["quotes"]],
  [{ term: { "b\\s": 3 } }, ["quotes"]],
  [{ term: { $: 4 } }, ["quotes"]],
  [{ term: { "[0]": 6 } }, ["quotes"]],
  [{ term: { "new\nline": 8 } }, ["quotes"]],
  [{ term: { $v0: 9 } }, []],
  [{ term: { "users.name": "bob" } }, ["lists"]],
  [{ term: { "users.name": "d" } }, ["lists"]],
  [{ range: { "users.age": { lt: 10 } } }, ["lists"]],
  [{ term: { m: 2 } }, ["lists"]],
  [{ term: { m: 3 } }, []],
  [{ exists: { field: "field_999" } }, ["many"]],
  [{ terms: { field_500: Array.from({ length: 65_000 }, (_, n) => n) } }, ["many"]],
  [{ terms: { field_500: Array.from({ length: 65_000 }, (_, n) => `${n}x`) } }, []],
  [{ ids: { values: Array.from({ length: 60_000 }, (_, n) => (n === 7 ? "dots" : `x${n}`)) } }, ["dots"]]
]

const nested = (levels: number): string =>
  `${'{"bool":{"must":['.repeat(levels)}{"term":{"n":{"value":5}}}${"]}}".repeat(levels)}`

const post = (path: string, body: unknown) =>
  Effect.gen(function* () {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const headers = { "content-type": "application/json" }
    const response = yield* raw(`/v1/mytenant/${path}`, { method: "POST", headers, body: text })
    return { status: response.status, text: yield* Effect.promise(() => response.text()) }
  })

const extracted = (request: unknown) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const { status, text } = yield* post("extraction", request)
    assert.strictEqual(status, 200, text)
    const { execution }: { readonly execution: string } = JSON.parse(text)
    assert.strictEqual((yield* Effect.promise(() => tenantOf(url).ended(execution))).error, null)
    const archive = yield* raw(`/v1/mytenant/archives/${execution}`)
    return unzip(Buffer.from(yield* Effect.promise(() => archive.arrayBuffer()))).map(({ bytes }) => bytes.toString())
  })

const columns = [
  "a.b.c",
  "__proto__",
  "__proto__.x",
  "constructor",
  "toString",
  'q"x',
  "a,b",
  "new\nline",
  "users.name",
  "users.1.name",
  "m.0",
  "e",
  "z"
]
const cells: Readonly<Record<string, ReadonlyArray<string>>> = {
  plain: ["1", "", "", "", "", "", "", "", "", "", "", "[]", ""],
  dots: ["3", "", "", "", "", "", "", "", "", "", "", "", ""],
  proto: ["", '{"x":1}', "1", "c", "", "", "", "", "", "", "", "", ""],
  quotes: ["", "", "", "", "", "1", "7", "8", "", "", "", "", ""],
  lists: ["", "", "", "", "", "", "", "", '["ann","bob","c","d"]', "bob", "[1,2]", "", ""]
}

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("are found and shown under their names", () =>
    Effect.gen(function* () {
      const search = yield* Search
      yield* search.write(
        "mytenant",
        "mytenant-odd",
        documents.map(([id, source]) => ({ id, source }))
      )
      for (const [query, ids] of finds) {
        const { status, text } = yield* post("search", { index: "mytenant-odd", query, fields: ["none"] })
        const found = [...text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id)
        assert.deepStrictEqual([status, ...found], [200, ...ids], JSON.stringify(query).slice(0, 200))
      }
      const fields = columns.map((name) => ({ name }))
      const filters = { ids: { values: Object.keys(cells) } }
      const [csv = ""] = yield* extracted({ format: "csv", index: "mytenant-odd", fields, filters })
      const [header, ...rows] = parse(csv, { record_delimiter: "\r\n" }) as ReadonlyArray<ReadonlyArray<string>>
      assert.deepStrictEqual(header, columns)
      assert.sameDeepMembers(
        rows.map((row) => row.map((cell) => cell.replaceAll(/(?<=[,:]) /g, ""))),
        Object.values(cells)
      )
      const [json = ""] = yield* extracted({
        format: "json",
        index: "mytenant-odd",
        filters: { term: { constructor: "c" } }
      })
      assert.isTrue(isSame(readRaw(json), readRaw(documents[3]![1])), json)
    })
  )

  it.effect("are refused where they lead nowhere", () =>
    Effect.gen(function* () {
      const refused = (body: unknown, path = "search") =>
        Effect.map(post(path, body), ({ status, text }) => [status, JSON.parse(text).issues?.[0]?.pointer])
      const index = "mytenant-odd"
      for (const at of ["9999999999999999999", "-9999999999999999999", "9223372036854775808"]) {
        const cursor = Buffer.from(JSON.stringify(["search", at, "a", index])).toString("base64url")
        assert.deepStrictEqual(yield* refused({ index, cursor }), [400, "/cursor"], at)
      }
      const deep = `/filters${"/bool/must/0".repeat(32)}`
      assert.deepStrictEqual(yield* refused(`{"format":"csv","index":"*","filters":${nested(9000)}}`, "extraction"), [
        400,
        deep
      ])
      assert.deepStrictEqual(yield* refused(`{"format":"csv","index":"*","filters":${nested(32)}}`, "extraction"), [
        400,
        deep
      ])
      const { status } = yield* post("search", `{"index":"mytenant-none*","query":${nested(31)}}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(yield* refused(`{"index":"*","query":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), [
        400,
        "/query"
      ])
      assert.deepStrictEqual(yield* refused({ format: "xls", index }, "extraction"), [400, "/format"])
      const fields = Array.from({ length: 501 }, (_, n) => ({ name: `f${n}` }))
      assert.deepStrictEqual(yield* refused({ format: "csv", index, fields }, "extraction"), [400, "/fields"])
    })
  )

  it.effect("that come late are named in the manifest of a csv whose columns nobody named", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const late = Array.from({ length: 1500 }, (_, n) => ({
        id: `d${String(n).padStart(4, "0")}`,
        source: n < 1200 ? { n, u: { name: "a" } } : { n, u: { name: "b", late: true }, "=later": 1 }
      }))
      yield* search.write("mytenant", "mytenant-late", late)
      const [csv = "", manifest = ""] = yield* extracted({ format: "csv", index: "mytenant-late" })
      const [header, ...rows] = parse(csv, { record_delimiter: "\r\n" }) as ReadonlyArray<ReadonlyArray<string>>
      assert.deepStrictEqual(header, ["n", "u.name"])
      assert.deepStrictEqual(rows.at(-1), ["1499", "b"])
      assert.lengthOf(rows, 1500)
      assert.sameMembers(JSON.parse(manifest).leftOut, ["u.late", "=later"])
    })
  )
}

layer(gateway(), { excludeTestServices: true })("odd fields on PostgreSQL, disk and processes", suite)
layer(memoryGateway(), { excludeTestServices: true })("odd fields in memory", suite)
