import { assert, describe, it } from "@effect/vitest"
import { DocumentWriter } from "../../src/nodes/outputs/DocumentWriter.ts"
import type { DocumentRecord, Documents } from "../../src/nodes/ports/Documents.ts"
import { type Random, randomOf } from "./generated.ts"

const refuse = () => {
  throw new Error("not here")
}

/** An index that takes its time, in which later writes may end before earlier ones. */
const slow = (random: Random, broken = -1) => {
  const kept = new Map<string, unknown>()
  const under = new Set<string>()
  const seen = { writes: 0, most: 0, together: 0, largest: 0 }
  const documents: Documents = {
    indices: refuse,
    read: refuse,
    rows: refuse,
    encoded: refuse,
    write: async (_, given) => {
      const ids = given.map(({ id = "" }) => id)
      const number = seen.writes++
      seen.together++
      seen.most = Math.max(seen.most, seen.together)
      seen.largest = Math.max(seen.largest, given.length)
      for (const id of new Set(ids)) {
        if (under.has(id)) throw new Error(`two writes of ${id} at once`)
        under.add(id)
      }
      for (let turn = random.below(6); turn > 0; turn--) await new Promise((done) => setImmediate(done))
      for (const id of ids) under.delete(id)
      seen.together--
      if (number === broken) throw new Error("the index is gone")
      const rejected = given.flatMap(({ source }, at) => (source["bad"] === true ? [{ at, reason: "bad" }] : []))
      for (const { id = "", source } of given) if (source["bad"] !== true) kept.set(id, source["n"])
      return { written: given.length - rejected.length, rejected }
    }
  }
  return { documents, kept, seen }
}

const pieceOf = (random: Random, from: number, most: number, ids: number): ReadonlyArray<DocumentRecord> =>
  Array.from({ length: 1 + random.below(most) }, (_, at) => ({
    id: `d${random.below(ids)}`,
    source: { n: from + at, ...(random.chance(0.01) ? { bad: true } : {}) }
  }))

const isEqual = (kept: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>): boolean =>
  kept.size === wanted.size && [...wanted].every(([id, n]) => kept.get(id) === n)

describe("documents that are written side by side", () => {
  it("are all there, the last of each id", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = randomOf(seed)
      const { documents, kept, seen } = slow(random)
      let rejected = 0
      const writer = new DocumentWriter(documents, "x", () => rejected++)
      const wanted = new Map<string, unknown>()
      let [given, bad] = [0, 0]
      const most = random.pick([3, 400, 5000])
      const ids = random.pick([5, 3000, 1_000_000])
      for (let piece = 0; piece < 20; piece++) {
        const records = pieceOf(random, given, most, ids)
        for (const { id = "", source } of records) {
          if (source["bad"] === true) bad++
          else wanted.set(id, source["n"])
        }
        given += records.length
        await writer.add(records)
        if (random.chance(0.1)) {
          await writer.flush()
          assert.isTrue(isEqual(kept, wanted))
        }
      }
      await writer.flush()
      assert.strictEqual(seen.together, 0, `seed ${seed}`)
      assert.isTrue(isEqual(kept, wanted))
      assert.strictEqual(rejected, bad)
      assert.isAtMost(seen.most, 2)
      assert.isAtMost(seen.largest, 2000)
    }
  })

  it("go together when they come in small pieces", async () => {
    const random = randomOf(1)
    const { documents, seen } = slow(random)
    const writer = new DocumentWriter(documents, "x", refuse)
    for (let n = 0; n < 64; n++) await writer.add([{ id: `d${n}`, source: { n } }])
    await writer.flush()
    assert.isBelow(seen.writes, 20)
  })

  it("fail when one of their writes does, and none is forgotten about it", async () => {
    for (const broken of [0, 3]) {
      const random = randomOf(broken)
      const { documents } = slow(random, broken)
      const writer = new DocumentWriter(documents, "x", refuse)
      const all = async () => {
        for (let n = 0; n < 5000; n++) await writer.add([{ id: `d${n}`, source: { n } }])
        await writer.flush()
      }
      const failed = await all().then(
        () => "",
        (error: Error) => error.message
      )
      assert.strictEqual(failed, "the index is gone")
      assert.strictEqual(await writer.flush().catch((error: Error) => error.message), "the index is gone")
    }
  })
})
