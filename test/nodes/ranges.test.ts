import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Block } from "../../src/nodes/Capabilities.ts"
import { maxLineBytes } from "../../src/nodes/formats/WholeLines.ts"
import { blockBytes, blocks, blocksOf } from "../../src/nodes/inputs/files/Blocks.ts"
import { Ranges } from "../../src/nodes/inputs/files/Ranges.ts"
import { seed } from "../support/random.ts"
import { Opened } from "./opened.ts"

const copied = ({ pieces, isFirst }: Block) => ({ bytes: Buffer.concat(pieces), isFirst })

const all = async (found: AsyncIterable<Block>) => {
  const seen: Array<ReturnType<typeof copied>> = []
  for await (const block of found) seen.push(copied(block))
  return seen
}

async function* whole(text: string) {
  yield new TextEncoder().encode(text)
}

/** By ranges alone, as `Merge` makes them: the first that reaches the end is the last. They are read in reverse. */
const byRanges = async (text: string) => {
  const opened = new Opened({ a: text })
  const file = await opened.openFile("a")
  const size = await file.size()
  const ranges = new Ranges(opened.readAt)
  const seen: Array<ReadonlyArray<ReturnType<typeof copied>>> = []
  const last = Math.max(0, Math.ceil(size / blockBytes) - 1) * blockBytes
  for (let from = last; from >= 0; from -= blockBytes) {
    const to = Math.min(from + blockBytes, size)
    seen.unshift((await ranges.blocks({ file: file.id, from, to, isEnd: from === last })).map(copied))
  }
  return seen.flat()
}

const bySequence = async (text: string) => all(blocksOf(await new Opened({ a: text }).openFile("a")))

const same = (left: Awaited<ReturnType<typeof all>>, right: Awaited<ReturnType<typeof all>>) => {
  expect(left.map(({ bytes, isFirst }) => [bytes.length, isFirst])).toEqual(
    right.map(({ bytes, isFirst }) => [bytes.length, isFirst])
  )
  expect(left.every(({ bytes }, at) => bytes.equals(right[at]!.bytes))).toBe(true)
}

const lineOf = (pick: number) =>
  ["", "a", "é€😀".repeat(50_000), "x".repeat(100_000), "y\r", "\ufeffz", "b".repeat(blockBytes - 1), "c".repeat(5000)][
    pick % 8
  ]!

describe("ranges of a file", () => {
  it("give the blocks of a file that ends where a range does", async () => {
    const text = [0, 6].map(lineOf).join("\n")
    expect(text.length).toBe(blockBytes)
    same(await byRanges(text), await all(blocks(whole(text))))
  })

  it.effect.prop(
    "give the blocks that the file has when it is read in one go",
    {
      picks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))),
      ended: Schema.Boolean
    },
    ({ picks, ended }) =>
      Effect.promise(async () => {
        const text = picks.map(lineOf).join("\n") + (ended ? "\n" : "")
        const expected = await all(blocks(whole(text)))
        same(await bySequence(text), expected)
        same(await byRanges(text), expected)
      }),
    { arbitrary: { seed, runs: 60 } }
  )

  it("give as much of a line over the limit as tells that it is one", async () => {
    for (const end of ["", "\n", "\nlast", `\n${"y".repeat(blockBytes)}\nlast\n`]) {
      const text = `first\n${"x".repeat(maxLineBytes + 3 * blockBytes)}${end}`
      const [ranges, sequence] = [await byRanges(text), await bySequence(text)]
      expect(ranges.length).toBe(sequence.length)
      for (const [at, { bytes, isFirst }] of ranges.entries()) {
        const other = sequence[at]!
        expect(isFirst).toBe(other.isFirst)
        // Beyond the limit they may differ in how much of it they keep.
        expect(bytes.subarray(0, maxLineBytes).equals(other.bytes.subarray(0, maxLineBytes))).toBe(true)
        const behind = (all: Buffer) => all.subarray(all.indexOf(10)).toString()
        expect(behind(bytes)).toBe(behind(other.bytes))
      }
    }
  })

  it("give nothing twice of a file that was cut meanwhile", async () => {
    const opened = new Opened({ a: "one\ntwo\nthr" })
    const { id } = await opened.openFile("a")
    const range = { file: id, from: 20, to: 20, isEnd: true }
    expect(await new Ranges(opened.readAt).blocks(range)).toEqual([])
  })
})
