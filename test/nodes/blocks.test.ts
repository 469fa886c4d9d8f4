import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Block } from "../../src/nodes/Capabilities.ts"
import { blockBytes, blocks, portable, portionBytes, sendBlock } from "../../src/nodes/inputs/files/Blocks.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"

const encode = (text: string) => new TextEncoder().encode(text)

async function* cut(bytes: Uint8Array, sizes: ReadonlyArray<number>) {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const all = async (chunks: AsyncIterable<Uint8Array>) => {
  const found: Array<Block> = []
  for await (const block of blocks(chunks)) found.push(block)
  return found
}

const joined = (pieces: ReadonlyArray<Uint8Array>) => Buffer.concat(pieces)

const read = async (found: ReadonlyArray<Block>, format: "lines" | "ndjson" = "lines") => {
  const streams: { "*": Array<Event>; errors: Array<Event> } = { "*": [], errors: [] }
  const batches: Array<number> = []
  for (const block of found) {
    await sendBlock(block, format, new Memory().nodeContext("in"), (stream, batch) => {
      batches.push(batch.length)
      streams[stream === "errors" ? "errors" : "*"].push(...batch)
    })
  }
  return { records: streams["*"], errors: streams.errors, batches }
}

const lineOf = (pick: number) => ["", "a", "é€😀".repeat(50_000), "x".repeat(100_000), "y\r", "\ufeffz"][pick % 6]!

describe("blocks of a file", () => {
  it.effect.prop(
    "hold the file's lines, and end where the file alone says",
    {
      picks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))),
      sizes: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 2 * blockBytes }))),
      ended: Schema.Boolean
    },
    ({ picks, sizes, ended }) =>
      Effect.promise(async () => {
        const text = picks.map(lineOf).join("\n") + (ended ? "\n" : "")
        const bytes = encode(text)
        const whole = await all(cut(bytes, []))
        const pieces = await all(cut(bytes, sizes))
        expect(pieces.length).toBe(whole.length)
        pieces.forEach((block, index) => {
          expect(Buffer.compare(joined(block.pieces), joined(whole[index]!.pieces))).toBe(0)
        })
        expect(Buffer.compare(Buffer.concat(pieces.map((block) => joined(block.pieces))), bytes)).toBe(0)
        for (const block of pieces.slice(0, -1)) expect(joined(block.pieces).at(-1)).toBe(10)
        const lines = text.replace(/^\ufeff/, "").split("\n")
        if (lines.at(-1) === "") lines.pop()
        const { records } = await read(pieces)
        expect(records.map(({ message }) => message)).toEqual(lines.map((line) => line.replace(/\r$/, "")))
      }),
    { arbitrary: { seed, runs: 60 } }
  )

  it("give their memory away without touching the blocks behind them", async () => {
    const text = Array.from({ length: 60_000 }, (_, at) => `line ${at} ${"é".repeat(at % 9)}\n`).join("")
    for (const size of [blockBytes, 100_000, 3 * blockBytes]) {
      const moved: Array<Block> = []
      const copies = (async function* () {
        for await (const chunk of cut(encode(text), [size])) yield new Uint8Array(chunk)
      })()
      for await (const block of blocks(copies)) {
        const [given, memory] = portable(block)
        moved.push(structuredClone(given, { transfer: memory }))
      }
      expect(Buffer.concat(moved.map(({ pieces }) => joined(pieces))).toString() === text, String(size)).toBe(true)
    }
  })

  it("keep no more of an endless line than tells that it is one, and go on behind it", async () => {
    const long = encode("é".repeat(blockBytes))
    const endless = async function* (end: string) {
      yield encode("first\n")
      for (let count = 0; count < 40; count++) yield long
      yield encode(end)
    }
    const gone = await all(endless("\nlast"))
    expect(gone.reduce((sum, { pieces }) => sum + joined(pieces).length, 0)).toBeLessThan(6 * 1024 * 1024)
    const { records, errors } = await read(gone)
    expect(records).toEqual([{ message: "first" }, { message: "last" }])
    expect(errors).toMatchObject([{ message: "é".repeat(256) }])
    expect((await read(await all(endless("")))).errors.length).toBe(1)
  })

  it("end with the bytes, not with the chunks: no batch waits for more", async () => {
    const line = encode(`${"x".repeat(1023)}\n`)
    const { batches } = await read(await all(cut(Buffer.concat(Array(600).fill(line)), [100_000])))
    expect(batches).toEqual([...Array(9).fill(64), 24])
  })

  it("pass on 64 KiB of lines at once, and count replaced bytes wherever they are", async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `${at} ${"é".repeat(at % 150)}`)
    const text = encode(`${lines.join("\n")}\n${"x".repeat(3 * portionBytes)}\n`)
    // A torn character behind each of some line ends, and a real U+FFFD, which replaces nothing.
    const torn = Buffer.concat([text, new Uint8Array([0xe2, 0x82, 10, 0xff, 0xff, 10]), encode("\ufffd\n")])
    let replaced = 0
    const found: Array<string> = []
    for (const block of await all(cut(torn, [77_777]))) {
      const count = (bytes: number) => {
        replaced += bytes
      }
      const context = { ...new Memory().nodeContext("in"), replaced: count }
      await sendBlock(block, "lines", context, async (_, batch) => {
        const messages = batch.map(({ message }) => String(message))
        const short = messages.filter(({ length }) => length <= portionBytes)
        expect(encode(short.join("\n")).length).toBeLessThanOrEqual(portionBytes)
        found.push(...messages)
      })
    }
    expect(found).toEqual([...lines, "x".repeat(3 * portionBytes), "\ufffd", "\ufffd\ufffd", "\ufffd"])
    expect(replaced).toBe(4)
  })

  it("take what is no UTF-8, a torn character at the end, and nothing at all", async () => {
    expect((await read(await all(cut(new Uint8Array([0xff, 10, 0xe2, 0x82]), [1])))).records).toEqual([
      { message: "\ufffd" },
      { message: "\ufffd" }
    ])
    expect(await all(cut(new Uint8Array(), [1]))).toEqual([])
    expect((await read(await all(cut(encode("\ufeff"), [1])))).records).toEqual([])
    const { records, errors } = await read(await all(cut(encode('\ufeff{"a":1}\r\n\r\n[]\n{"b":2}'), [2])), "ndjson")
    expect(records).toEqual([{ a: 1 }, { b: 2 }])
    expect(errors).toMatchObject([{ message: "[]" }])
  })
})
