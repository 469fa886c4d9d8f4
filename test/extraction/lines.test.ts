import { assert, describe, it } from "@effect/vitest"
import { original, originalText, storable } from "../../src/languages/query/StoredText.ts"
import { csvOf, dates } from "../../src/nodes/outputs/extraction/CsvCell.ts"
import { CsvLines } from "../../src/nodes/outputs/extraction/CsvLines.ts"
import { type Random, randomOf } from "../search/generated.ts"
import { framed } from "../support/framed.ts"

const pieces = [
  ..."ab,\t\r\n \"'=+-@\\0\u0000\u0001\u007fé日😀\ue000\ue0f1\uf8ff\ufeff\ufffe\uffff\ud800\udc00",
  ...[
    "",
    "-1",
    "+2.5e3",
    "=1",
    '["\u0000"]',
    '{"a":"\ue0f1"}',
    "2026-03-10T14:12:27.5Z",
    "1773151947000",
    "x".repeat(60)
  ]
]

const textOf = (random: Random): string => storable(random.some(5, () => random.pick(pieces)).join(""))

describe("rows of csv", () => {
  it("are the same of stored lines as of records", () => {
    const random = randomOf(4180)
    const shows = [undefined, dates("UTC"), dates("+05:30", "epoch_millis")]
    for (let round = 0; round < 60; round++) {
      const columns = Array.from({ length: 1 + random.below(6) }, (_, at) => `c${at}`)
      const shown = columns.map(() => (random.chance(0.6) ? undefined : random.pick(shows)))
      const rows = random.some(60, () => columns.map(() => (random.chance(0.1) ? null : textOf(random))))
      const lines = new CsvLines(shown)
      const made: Array<Uint8Array> = []
      for (const row of rows) {
        // The bytes may stand anywhere, and be changed at once.
        const at = random.below(9)
        const bytes = Buffer.concat([Buffer.alloc(at, 7), framed(row)])
        lines.add(bytes, at, row.length)
        bytes.fill(1)
        if (random.chance(0.2)) made.push(lines.take())
      }
      made.push(lines.take())
      const records = rows.map((row) =>
        Object.fromEntries(columns.map((name, at) => [name, row[at] == null ? null : originalText(row[at])]))
      )
      const wanted = csvOf(columns, shown).rows(records)
      assert.strictEqual(Buffer.concat(made).toString(), Buffer.from(wanted).toString(), `round ${round}`)
    }
  })

  it("have as many digits of a fraction as the format asks for", () => {
    const shown = dates("+01:00", "yyyy ss.SSSSSS|S|'SSS'")
    assert.strictEqual(shown?.("2026-03-10T14:12:27.123456789Z"), "2026 27.123456|1|SSS")
    assert.strictEqual(shown?.("2026-03-10T14:12:27.5Z"), "2026 27.500000|5|SSS")
    assert.strictEqual(shown?.("1773151947001"), "2026 27.001000|0|SSS")
    assert.strictEqual(dates("UTC", "yyyy.SSS")?.("2026-03-10"), "2026.000")
  })

  it("have room for long lines, and for cells that grow", () => {
    const quotes = '"'.repeat(300_000)
    const lines = new CsvLines([undefined, undefined])
    for (const row of [
      ["short", "line"],
      [quotes, original("é".repeat(100_000))],
      ["last", ""]
    ]) {
      lines.add(framed(row), 0, 2)
    }
    const { size } = lines
    const bytes = lines.take()
    assert.deepStrictEqual([bytes.length, lines.size], [size, 0])
    assert.strictEqual(
      Buffer.from(bytes).toString(),
      `short,line\r\n"${quotes}${quotes}",${"é".repeat(100_000)}\r\nlast,\r\n`
    )
  })
})
