import { crc32, deflateRawSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { merged } from "../../packages/console/src/pages/runs/merged.ts"
import { Numbers, OutputLog } from "../../packages/console/src/pages/runs/OutputLog.ts"
import { rateOf, type Sample, sentOn, withSample } from "../../packages/console/src/pages/runs/Rates.ts"
import { entriesOf } from "../../packages/console/src/parts/archive/Zip.ts"
import { textRows } from "../../packages/console/src/parts/preview/rows.ts"
import { centralHeader, descriptor, dosTime, endOfZip, localHeader } from "../../src/run/archive/ZipFormat.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("a zip of 512 MiB", () => {
  it("is listed and looked into by less than a mebibyte of it", async () => {
    const time = dosTime(new Date(Date.UTC(2026, 10, 23, 8, 30, 2)))
    const large = { name: Buffer.from("large.log"), deflated: false, time }
    const begin = localHeader(large)
    const size = 512 * 1024 * 1024
    const line = Buffer.from(`${"x".repeat(127)}\n`)
    const text = Buffer.from("a,b\n1,2\n")
    const packed = deflateRawSync(text)
    const small = { name: Buffer.from("small.csv"), deflated: true, time }
    const own = { crc: 0, packed: size, size }
    const other = { crc: crc32(text), packed: packed.length, size: text.length }
    const rest = Buffer.concat([descriptor(own), localHeader(small), packed, descriptor(other)])
    const at = begin.length + size + descriptor(own).length
    const directory = Buffer.concat([
      centralHeader({ ...large, ...own, at: 0 }),
      centralHeader({ ...small, ...other, at })
    ])
    const tail = Buffer.concat([rest, directory, endOfZip(2, directory.length, begin.length + size + rest.length)])
    const total = begin.length + size + tail.length
    let asked = 0
    const read = async (from: number, length: number) => {
      asked += length
      const bytes = new Uint8Array(Math.min(length, total - from))
      for (let place = 0; place < bytes.length; place++) {
        const to = from + place
        if (to < begin.length) bytes[place] = begin[to]!
        else if (to < begin.length + size) bytes[place] = line[(to - begin.length) % line.length]!
        else bytes[place] = tail[to - begin.length - size]!
      }
      return bytes
    }
    const entries = await entriesOf({ size: total, read })
    expect(entries.map(({ name, size: bytes }) => [name, bytes])).toEqual([
      ["large.log", size],
      ["small.csv", text.length]
    ])
    expect(new Date(entries[0]!.modified).toISOString()).toBe("2026-11-23T08:30:02.000Z")
    const ending = new AbortController()
    const rows = textRows(entries[0]!.open(ending.signal), "log", false)
    expect((await rows.next(200)).map((row) => row.text?.length)).toEqual(Array.from({ length: 200 }, () => 127))
    rows.close()
    ending.abort()
    const few = textRows(entries[1]!.open(new AbortController().signal), "csv", false)
    expect((await few.next(200)).map(({ cells }) => Object.fromEntries(cells))).toEqual([{ a: "1", b: "2" }])
    expect(asked).toBeLessThan(1024 * 1024)
  })
})

describe("the log of an output", () => {
  const Line = Schema.Struct({ text: Schema.String, component: Schema.String })
  it.prop(
    "has every line once, at its place, and finds its texts",
    { lines: Schema.Array(Line), times: whole(1, 60), wanted: Schema.String },
    ({ lines, times, wanted }) => {
      const log = new OutputLog()
      const all = Array.from({ length: times }, () => lines)
        .flat()
        .map(({ text, component }, at) => ({
          seq: 2 * at + 1,
          at: 1000 + at,
          component,
          text: text.toWellFormed()
        }))
      for (const line of all) {
        log.add(line)
        log.add(line)
      }
      expect(log.length).toBe(all.length)
      for (const [at, line] of all.entries()) expect(log.at(at)).toEqual(line)
      expect(log.at(all.length)).toBeUndefined()
      for (const at of [0, all.length >> 1, all.length - 1].filter((one) => one >= 0 && one < all.length)) {
        expect(log.indexOf(2 * at + 1)).toBe(at)
        expect(log.indexOf(2 * at)).toBe(at)
      }
      const text = wanted.toWellFormed().toLowerCase()
      const found: Array<number> = []
      for (let from = 0; from < log.length; ) from = log.search(text, from, (index) => found.push(index))
      const expected = all.flatMap((line, at) => (line.text.toLowerCase().includes(text) ? [at] : []))
      expect(found).toEqual(expected)
    },
    { arbitrary: { runs: 100 } }
  )

  it("takes little more than the bytes of its texts", () => {
    const log = new OutputLog()
    for (let seq = 1; seq <= 100_000; seq++) log.add({ seq, at: seq, component: "show", text: `line ${seq} of many` })
    expect(log.at(99_999)?.text).toBe("line 100000 of many")
    expect(log.bytes).toBeLessThan(100_000 * (19 + 22))
  })

  it("keeps the places of what was found", () => {
    const numbers = new Numbers()
    for (let value = 0; value < 5000; value++) numbers.add(3 * value)
    expect([numbers.length, numbers.at(4999), numbers.at(5000)]).toEqual([5000, 14_997, undefined])
    expect([numbers.from(0), numbers.from(1), numbers.from(14_997), numbers.from(14_998)]).toEqual([0, 1, 4999, 5000])
  })
})

describe("rates", () => {
  const node = (component: string, recordsOut: number, more: object = {}) => ({
    component,
    recordsIn: 0,
    recordsOut,
    errors: 0,
    ...more
  })

  it("are what has gone out in the last seconds, on each stream", () => {
    let samples: ReadonlyArray<Sample> = []
    for (let second = 0; second <= 20; second++) {
      const nodes = [node("n", 100 * second, { errors: second, streams: { a: 60 * second, b: 40 * second } })]
      samples = withSample(samples, { at: 1000 * second, nodes })
    }
    expect(samples.length).toBeLessThan(8)
    expect(rateOf(samples, "n", (one) => sentOn(one, "a"))).toBe(60)
    expect(rateOf(samples, "n", (one) => sentOn(one, "errors"))).toBe(1)
    expect(rateOf(samples, "n", (one) => sentOn(one, "other"))).toBe(100)
    expect(rateOf(samples.slice(-1), "n", (one) => sentOn(one, "a"))).toBeUndefined()
  })

  it("begin anew with another attempt", () => {
    const before = withSample([], { at: 0, nodes: [node("n", 1000)] })
    const after = withSample(before, { at: 1000, nodes: [node("n", 10)] })
    expect(after.length).toBe(1)
  })
})

describe("the newest runs", () => {
  const run = (at: number) => ({
    id: `f-${at}`,
    timestamp: "",
    duration: 0,
    tenant: "t",
    flowlineId: "f",
    state: "RUNNING" as const,
    createdAt: new Date(at).toISOString()
  })
  it("come before those that were loaded, without gaps and without those that were deleted", () => {
    const loaded = [5, 4, 3, 2, 1].map(run)
    expect(merged(loaded, [7, 6, 4].map(run), false).map(({ id }) => id)).toEqual([
      "f-7",
      "f-6",
      "f-4",
      "f-3",
      "f-2",
      "f-1"
    ])
    expect(merged(loaded, [7].map(run), true).map(({ id }) => id)).toEqual(["f-7"])
    expect(merged(loaded, [], false)).toEqual([])
  })

  it("begin the list anew where more have begun than are asked for at once", () => {
    const loaded = [5, 4, 3].map(run)
    expect(merged(loaded, [9, 8, 7].map(run), false).map(({ id }) => id)).toEqual(["f-9", "f-8", "f-7"])
    expect(merged(loaded, [8, 7, 5].map(run), false).map(({ id }) => id)).toEqual(["f-8", "f-7", "f-5", "f-4", "f-3"])
  })
})
