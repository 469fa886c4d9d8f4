import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { giveBack, Pipe } from "../../src/drivers/blobs/Pipe.ts"
import { writeBlocks } from "../../src/drivers/blobs/WriteBlocks.ts"
import { seed } from "../support/random.ts"
import { cut, joined, noise, sha256 } from "./bytes.ts"
import { diskAt, filesBelow, scratch } from "./folder.ts"

const mib = 1024 * 1024

/** A pipe that receives copies of the bytes, and these copies. */
const piped = (bytes: Uint8Array, length: number) => {
  const pipe = new Pipe()
  const pushed: Array<Uint8Array> = []
  const push = () => {
    for (let turns = 0; pushed.length * length < bytes.length; turns++) {
      // Now and then the pusher returns later, and it waits while the pipe is full.
      if (turns === 40 || pipe.full) return void pipe.whenRoom(() => setImmediate(push))
      const at = pushed.length * length
      const chunk = new Uint8Array(bytes.subarray(at, at + length))
      pushed.push(chunk)
      if (pipe.push(chunk, true)) giveBack(chunk)
    }
    pipe.end()
  }
  push()
  return { pipe, pushed }
}

describe("bytes on their way to the disk", () => {
  it.live("are the same whatever their length and where they come from", () =>
    Effect.gen(function* () {
      const root = yield* scratch
      const blobs = yield* diskAt(root)
      const sources = [
        (bytes: Uint8Array) => cut(bytes, [70_001]),
        (bytes: Uint8Array) => Readable.from(cut(bytes, [300_000])),
        (bytes: Uint8Array) => piped(bytes, 65_536).pipe
      ]
      const all = noise(18 * mib)
      let turn = 0
      // Around a slot, what is hashed here, and all the slots that a writer has: more than 16.
      for (const slots of [1, 2, 6, 16, 17]) {
        for (const more of [-1, 0, 1]) {
          turn++
          const bytes = all.subarray(turn, turn + slots * mib + more)
          const expected = { sha256: sha256(bytes), size: bytes.length }
          // Small ones come from everywhere, large ones from each source by turns.
          for (const source of slots < 6 ? sources : [sources[turn % 3]!])
            assert.deepStrictEqual(yield* blobs.write("one", source(bytes)), expected)
          assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", expected.sha256))))
          yield* blobs.remove("one", expected.sha256, Number.POSITIVE_INFINITY)
        }
      }
    })
  )

  it.live("are the same when many come at once", () =>
    Effect.gen(function* () {
      const blobs = yield* diskAt(yield* scratch)
      const all = Array.from({ length: 8 }, (_, at) => noise((at + 1) * 400_000, at + 50))
      const write = (bytes: Buffer) => blobs.write("one", piped(bytes, 50_000).pipe)
      const written = yield* Effect.forEach(all, write, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        written.map((blob) => blob.sha256),
        all.map(sha256)
      )
      for (const bytes of all) assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", sha256(bytes)))))
    })
  )

  it.live("are given back when they are copied, but for what others may look at", () =>
    Effect.gen(function* () {
      const blobs = yield* diskAt(yield* scratch)
      const bytes = noise(6 * mib, 3)
      const { pipe, pushed } = piped(bytes, 65_536)
      yield* blobs.write("one", pipe)
      // All of them: 16 MiB of what is left make V8 mark the whole heap.
      assert.isTrue(pushed.every(({ buffer }) => buffer.byteLength === 0))

      const shared = new Uint8Array(10)
      giveBack(shared.subarray(1))
      const slot = new Uint8Array(new SharedArrayBuffer(10))
      giveBack(slot)
      assert.deepStrictEqual([shared.length, slot.length], [10, 10])
    })
  )

  it.live("leave nothing behind when their source fails or stops", () =>
    Effect.gen(function* () {
      const root = yield* scratch
      const blobs = yield* diskAt(root)
      const pipe = new Pipe()
      const failing = yield* Effect.forkChild(Effect.flip(blobs.write("one", pipe, () => "the source" as const)))
      pipe.push(noise(12 * mib))
      pipe.fail(new Error("broken off"))
      assert.strictEqual(yield* Fiber.join(failing), "the source")
      assert.deepStrictEqual(filesBelow(root), [])
    })
  )
})

describe("a pump", () => {
  it.live("takes a pipe's chunks as they are, keeps them until they are written, and gives them back", () =>
    Effect.gen(function* () {
      const bytes = noise(9 * mib, 7)
      const { pipe, pushed } = piped(bytes, 65_536)
      const written: Array<Buffer> = []
      const write = async (buffers: ReadonlyArray<Uint8Array>) => {
        await new Promise((done) => setImmediate(done))
        written.push(...buffers.map((buffer) => Buffer.from(buffer)))
      }
      yield* Effect.promise((signal) => writeBlocks(pipe, write, signal))
      assert.isTrue(bytes.equals(Buffer.concat(written)))
      assert.isTrue(pushed.every(({ buffer }) => buffer.byteLength === 0))
    })
  )
})

describe("a pipe", () => {
  it.effect.prop(
    "gives a sink what was pushed, in order, however often it stops",
    { lengths: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))), stops: Schema.Int },
    ({ lengths, stops }) =>
      Effect.sync(() => {
        const pipe = new Pipe()
        const taken: Array<number> = []
        const ends: Array<string> = []
        pipe.into({
          chunk: (chunk) => {
            taken.push(...chunk)
            if ((taken.length ^ stops) % 3 === 0) pipe.pause()
            return true
          },
          end: () => void ends.push("end"),
          fail: () => void ends.push("fail")
        })
        const sent: Array<number> = []
        for (const length of lengths) {
          const chunk = Uint8Array.from({ length }, (_, at) => (sent.length + at) % 251)
          sent.push(...chunk)
          pipe.push(chunk)
          if ((sent.length ^ stops) % 2 === 0) pipe.resume()
        }
        pipe.end()
        for (let turn = 0; turn <= lengths.length; turn++) pipe.resume()
        assert.deepStrictEqual([taken, ends], [sent, ["end"]])
      }),
    { arbitrary: { seed, runs: 200 } }
  )
})
