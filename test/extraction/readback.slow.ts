import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, layer } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { isSame, type Random, randomOf } from "../search/generated.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

const pieces = [
  ..."abc,;\t\r\n \"'=+-@|\\0\u0000\u0001\u001f\u007f\u0085\u00a0\u2028\u2029\ufeff\ue0f1é日😀",
  ...["\r\n", '""', '","', "=SUM(A1)", "-1", "+1.5e3", "null", "NULL", "[1]", "\u202e", "e\u0301", "\ufffd"]
]
const digits = (random: Random, most: number) =>
  `${1 + random.below(9)}${random.some(most, () => random.below(10)).join("")}`
/** A number as JSON has it: 64 bits and more, decimals of 30 digits and more. */
const numberOf = (random: Random): string =>
  random.pick([
    "0",
    "-9223372036854775808",
    "18446744073709551615",
    "9007199254740993",
    "0.1000000000000000055511151231257827",
    `${random.pick(["", "-"])}${digits(random, 40)}`,
    `${random.pick(["", "-"])}${digits(random, 30)}.${random.some(30, () => random.below(10)).join("")}1`,
    `0.${"0".repeat(random.below(30))}${digits(random, 10)}`,
    `${digits(random, 3)}.50`
  ])
const textOf = (random: Random): string => random.some(8, () => random.pick(pieces)).join("")

interface Given {
  readonly text: string
  readonly number: string
  readonly millis: number
  readonly list: string
  readonly inner: string | null
}

const columns = ["text", "number", "when", "list", "in.inner", '=odd, "name"', "missing"]

const sourceOf = ({ text, number, millis, list, inner }: Given, at: number): string =>
  `{"@timestamp":${at},"text":${JSON.stringify(text)},"number":${number},"when":"${new Date(millis).toISOString()}",` +
  `"list":${list},"in":{"inner":${JSON.stringify(inner)}},"=odd, \\"name\\"":true}`

/** The value of a cell, apart from its notation: RFC 4180 has no null, and formulas are disabled. */
const cellOf = (text: string | null): string =>
  text === null ? "" : /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?(e\d+)?$/.test(text) ? `'${text}` : text

const clock = (millis: number): string => `${new Date(millis + 5.5 * 3_600_000).toISOString().slice(0, -1)}+05:30`

const rowOf = ({ text, number, millis, list, inner }: Given): ReadonlyArray<string> => [
  cellOf(text),
  number,
  clock(millis),
  list,
  cellOf(inner),
  "true",
  ""
]

/** Lists are compared as JSON: blanks in them say nothing. */
const assertRows = (found: ReadonlyArray<ReadonlyArray<string>>, given: ReadonlyArray<Given>) => {
  assert.lengthOf(found, given.length)
  for (const [at, row] of found.entries()) {
    const wanted = rowOf(given[at]!)
    const [mine, theirs] = [row, wanted].map((cells) => cells.filter((_, column) => column !== 3))
    assert.deepStrictEqual(mine, theirs)
    assert.isTrue(isSame(readRaw(row[3] ?? ""), readRaw(wanted[3] ?? "")), row[3])
  }
}

const duckdb = async (text: Buffer, names: ReadonlyArray<string>): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const folder = mkdtempSync(join(tmpdir(), "flow-readback-"))
  try {
    writeFileSync(join(folder, "data.csv"), text)
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
    const connection = await instance.connect()
    const types = names.map((_, at) => `'c${at}': 'VARCHAR'`).join(", ")
    const options = `header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${types}}`
    // The driver takes U+FEFF from the beginning of a text.
    const cells = names.map((_, at) => `'x' || coalesce(c${at}, '')`).join(", ")
    const found = await connection.runAndReadAll(`select ${cells} from read_csv('${folder}/data.csv', ${options})`)
    connection.closeSync()
    instance.closeSync()
    return found.getRows().map((row) => row.map((cell) => String(cell).slice(1)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The data file of an extraction. */
const extracted = (request: object) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const headers = { "content-type": "application/json" }
    const answer = yield* raw("/v1/mytenant/extraction", { method: "POST", headers, body: JSON.stringify(request) })
    const { execution } = yield* Effect.promise(() => answer.json() as Promise<{ readonly execution: string }>)
    assert.strictEqual((yield* Effect.promise(() => tenantOf(url).ended(execution))).error, null)
    const archive = yield* raw(`/v1/mytenant/archives/${execution}`)
    return unzip(Buffer.from(yield* Effect.promise(() => archive.arrayBuffer())))[0]!.bytes
  })

layer(gateway(), { excludeTestServices: true })("what an extraction has written", (it) => {
  it.effect("is what the documents hold, read back by DuckDB and by a csv parser, and as JSON", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const random = randomOf(4180)
      const given = Array.from(
        { length: 1500 },
        (): Given => ({
          text: textOf(random),
          number: numberOf(random),
          millis: random.below(2_000_000_000) * 1000 + random.below(1000),
          list: `[${random.some(3, () => random.pick([numberOf(random), JSON.stringify(textOf(random))])).join(",")}]`,
          inner: random.chance(0.2) ? null : textOf(random)
        })
      )
      yield* search.write(
        "mytenant",
        "mytenant-readback",
        given.map((one, at) => ({ id: `d${at}`, source: sourceOf(one, at) }))
      )
      const fields = columns.map((name) => (name === "when" ? { name, type: "date" } : { name }))
      const csv = yield* extracted({ format: "csv", index: "mytenant-readback", fields, time_zone: "+05:30" })
      assert.isTrue(csv.toString().startsWith(`text,number,when,list,in.inner,"'=odd, ""name""",missing\r\n`))
      const [header, ...rows] = parse(csv, { bom: false, record_delimiter: "\r\n" }) as ReadonlyArray<Array<string>>
      assert.deepStrictEqual(header, [...columns.slice(0, 5), '\'=odd, "name"', "missing"])
      assertRows(rows, given)
      assertRows(yield* Effect.promise(() => duckdb(csv, columns)), given)

      const free = yield* extracted({ format: "csv", index: "mytenant-readback" })
      const [names = [], ...records] = parse(free, { record_delimiter: "\r\n" }) as ReadonlyArray<Array<string>>
      assert.sameMembers([...names], ["@timestamp", ...columns.slice(0, 5), '\'=odd, "name"'])
      const column = (name: string) => records.map((record) => record[names.indexOf(name)])
      assert.deepStrictEqual(
        column("text"),
        given.map(({ text }) => cellOf(text))
      )
      assert.deepStrictEqual(
        column("number"),
        given.map(({ number }) => number)
      )

      const json = yield* extracted({ format: "json", index: "mytenant-readback" })
      const lines = json.toString().trimEnd().split("\n")
      assert.lengthOf(lines, given.length)
      for (const [at, line] of lines.entries()) {
        assert.include(line, `"number":${given[at]!.number},`)
        assert.isTrue(isSame(readRaw(line), readRaw(sourceOf(given[at]!, at))), line)
      }
    })
  )
})
