import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { batches, samplesOf } from "../../src/services/operators/Batches.ts"
import { samples } from "../../src/services/operators/Samples.ts"
import { seed } from "../support/random.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** Lines of all lengths; a run of them is repeated, so that inputs have more than one batch. */
const Pieces = Schema.Array(
  Schema.Struct({
    line: Schema.Literals(["", "\r", "a", "é中😀", "b\r", "x".repeat(3000), " "]),
    times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1200 }))
  })
).check(Schema.isMaxLength(5))

describe("batches of an input", () => {
  it.prop(
    "hold its samples, with their lines",
    { pieces: Pieces, isEnded: Schema.Boolean },
    ({ pieces, isEnded }) => {
      const text = pieces.flatMap(({ line, times }) => Array.from({ length: times }, () => line)).join("\n")
      const input = isEnded ? `${text}\n` : text
      const found = [...batches(bytes(input), "grok", "lines")].flatMap((batch) => samplesOf(batch, "lines"))
      expect(found.length).toBe([...samples(input, "lines")].length)
      expect(found).toEqual([...samples(input, "lines")])
    },
    { arbitrary: { seed, runs: 60 } }
  )

  it("are few where lines are empty", () => {
    const input = `${"\n".repeat(200_000)}x\n${"\r\n".repeat(100_000)}y`
    const all = [...batches(bytes(input), "grok", "lines")]
    expect(all.length).toBeLessThan(30)
    expect(all.flatMap((batch) => samplesOf(batch, "lines"))).toEqual([
      { line: 200_001, text: "x" },
      { line: 300_002, text: "y" }
    ])
  })

  it("are made one by one, as they are asked for", () => {
    const input = bytes("a line of the input\n".repeat(100_000))
    const asked = batches(input, "grok", "lines")
    expect(asked.next().value).toMatchObject({ firstLine: 1, cut: false })
    input.fill(10)
    expect([...asked].flatMap((batch) => samplesOf(batch, "lines"))).toEqual([])
  })
})
