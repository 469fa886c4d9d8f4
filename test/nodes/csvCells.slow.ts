import { it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { quotedCells } from "../../src/nodes/processing/csv/QuotedCells.ts"
import { seed } from "../support/random.ts"

const parsed = (text: string, delimiter: string, quote: string): ReadonlyArray<string> | undefined => {
  try {
    const rows: ReadonlyArray<ReadonlyArray<string>> = parse(text, {
      delimiter,
      quote,
      escape: quote,
      relax_column_count: true
    })
    return rows.length === 1 ? rows[0] : undefined
  } catch {
    return undefined
  }
}

describe("the cells of a record with quotes", () => {
  it.effect.prop(
    "are those that the parser finds, or are left to it",
    {
      pieces: Schema.Array(Schema.Literals(['"', '""', ",", "||", "a", " ", "é", "'", "b c", "\n"])).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(12)
      ),
      separator: Schema.Literals([",", "||"]),
      quote: Schema.Literals(['"', "'"])
    },
    ({ pieces, separator, quote }) =>
      Effect.sync(() => {
        const text = pieces.join("")
        const found = quotedCells(text, separator, quote)
        if (found !== undefined) expect(found).toEqual(parsed(text, separator, quote))
        else if (!text.includes("\n")) expect(parsed(text, separator, quote)).toBeUndefined()
      }),
    { arbitrary: { seed, runs: 5000 } }
  )
})
