import { hostname } from "node:os"
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schedule, Stream } from "effect"
import { cut, noise, sha256 } from "../blobs/bytes.ts"
import { eventually } from "../support/process.ts"
import { blobsAt, freshPlace, keysIn, s3 } from "./bucket.ts"

const bytes = noise(1000, 7)
const hash = sha256(bytes)

/** A blob's key, and the mark of a process that is about to remove it. */
const marked = Effect.gen(function* () {
  const place = yield* freshPlace
  const blob = { Bucket: place.bucket, Key: `some/prefix/one/blobs/${hash}` }
  const mark = { ...blob, Key: `${blob.Key}.removing.1-1-elsewhere-0` }
  yield* Effect.promise(() => s3.send(new PutObjectCommand({ ...mark, Body: Buffer.alloc(0) })))
  return { place, blob, mark }
})

describe("a removal and a write of the same content", () => {
  it.live("never lose the write, whenever they meet", () =>
    Effect.gen(function* () {
      const place = yield* freshPlace
      const blobs = yield* blobsAt(place)
      const write = Effect.suspend(() => blobs.write("one", cut(bytes)))
      let removed = 0
      for (let round = 0; round < 60; round++) {
        yield* write
        yield* Effect.sleep("5 millis")
        const over = yield* Deferred.make<void>()
        const removing = Effect.tap(blobs.remove("one", hash, Date.now()), () => Deferred.succeed(over, undefined))
        // If both are slow, an independent write would always arrive before the removal.
        const begin = round % 4 === 0 ? Deferred.await(over) : Effect.sleep(round % 15)
        const racing = yield* Effect.forkChild(Effect.andThen(begin, write))
        const results = yield* Effect.all([removing, removing], { concurrency: 2 })
        yield* Fiber.join(racing)
        if (results.includes(true)) removed++
        assert.strictEqual(yield* blobs.size("one", hash), bytes.length, `round ${round}`)
      }
      assert.isAbove(removed, 5)
      assert.deepStrictEqual(yield* Effect.promise(() => keysIn(place)), [`one/blobs/${hash}`])
    })
  )

  it.live("make the write wait for the end of the removal, and store again what was removed", () =>
    Effect.gen(function* () {
      const { place, blob, mark } = yield* marked
      const blobs = yield* blobsAt(place)
      const writing = yield* Effect.forkChild(blobs.write("one", cut(bytes)))
      yield* Effect.promise(() => eventually("the blob is there", async () => (await keysIn(place)).length === 2))
      yield* Effect.promise(() => s3.send(new DeleteObjectCommand(blob)))
      yield* Effect.sleep("300 millis")
      assert.isUndefined(writing.pollUnsafe())
      yield* Effect.promise(() => s3.send(new DeleteObjectCommand(mark)))
      yield* Fiber.join(writing)
      assert.deepStrictEqual(yield* Effect.promise(() => keysIn(place)), [`one/blobs/${hash}`])
    })
  )

  it.live("leave a mark behind when the remover is killed, until somebody lists the blobs", () =>
    Effect.gen(function* () {
      const { place, mark } = yield* marked
      const blobs = yield* blobsAt(place)
      assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("one")), [])
      assert.isNotEmpty(yield* Effect.promise(() => keysIn(place)), "who is elsewhere may live")
      const dead = {
        ...mark,
        Key: `${mark.Key.slice(0, -"1-1-elsewhere-0".length)}1-1-${hostname().replace(/[^A-Za-z0-9]/g, "")}-0`
      }
      yield* Effect.promise(() => s3.send(new PutObjectCommand({ ...dead, Body: Buffer.alloc(0) })))
      assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("one")), [])
      yield* Effect.promise(() => eventually("one is gone", async () => (await keysIn(place)).length === 1))
    })
  )

  it.live("do not wait for ever for a removal that has died", () =>
    Effect.gen(function* () {
      const { place } = yield* marked
      const blobs = yield* blobsAt(place, "400 millis")
      const write = Effect.suspend(() => blobs.write("one", cut(bytes)))
      assert.strictEqual((yield* Effect.flip(write)).storage, "data")
      yield* Effect.retry(write, { schedule: Schedule.spaced("100 millis"), times: 10 })
      assert.deepStrictEqual(yield* Effect.promise(() => keysIn(place)), [`one/blobs/${hash}`])
    })
  )
})
