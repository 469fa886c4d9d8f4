import { CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { cut, joined, noise, sha256 } from "../blobs/bytes.ts"
import { eventually, runFile } from "../support/process.ts"
import { blobsAt, freshPlace, keysIn, s3, uploadsIn } from "./bucket.ts"

const mib = 1024 * 1024

const fresh = Effect.gen(function* () {
  const place = yield* freshPlace
  const left = Effect.promise(async () => ({ keys: await keysIn(place), uploads: await uploadsIn(place) }))
  return { place, blobs: yield* blobsAt(place), left }
})

const nothing = { keys: [], uploads: [] }

/** A source that stalls after so many bytes. */
const silent = async function* (bytes: number) {
  yield noise(bytes)
  await new Promise(() => {})
}

describe("the bucket", () => {
  it.live("holds a blob under its hash, below the prefix", () =>
    Effect.gen(function* () {
      const { place, blobs, left } = yield* fresh
      const small = yield* blobs.write("one", cut(noise(10)))
      const large = yield* blobs.write("two", cut(noise(20 * mib), [100_000]))
      assert.strictEqual(large.sha256, sha256(noise(20 * mib)))
      assert.isTrue(noise(20 * mib).equals(yield* joined(yield* blobs.read("two", large.sha256))))
      assert.deepStrictEqual(yield* left, {
        keys: [`one/blobs/${small.sha256}`, `two/blobs/${large.sha256}`],
        uploads: []
      })
      assert.strictEqual(blobs.backend, "s3")
      assert.strictEqual(blobs.url("one", small.sha256), `s3://${place.bucket}/some/prefix/one/blobs/${small.sha256}`)
    })
  )

  it.live("takes any size around that of a part", () =>
    Effect.gen(function* () {
      const { blobs, left } = yield* fresh
      for (const size of [8 * mib - 1, 8 * mib, 8 * mib + 1, 16 * mib, 16 * mib + 3]) {
        const bytes = noise(size, size)
        const blob = yield* blobs.write("one", cut(bytes, [3 * mib, 1, 70_000]))
        assert.deepStrictEqual(blob, { sha256: sha256(bytes), size })
        assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", blob.sha256))), String(size))
      }
      assert.strictEqual((yield* left).keys.length, 5)
    })
  )

  it.live("copies what is larger than the server copies at once in parts", () =>
    Effect.gen(function* () {
      const { blobs, left } = yield* fresh
      const piece = noise(mib)
      const source = async function* () {
        for (let n = 0; n < 300; n++) yield piece
      }
      const { sha256: hash, size } = yield* blobs.write("one", source())
      assert.strictEqual(size, 300 * mib)
      assert.strictEqual(yield* blobs.size("one", hash), size)
      const span = { start: 128 * mib - 5, end: 128 * mib + 5 }
      const part = yield* joined(yield* blobs.read("one", hash, span))
      assert.isTrue(Buffer.concat([piece.subarray(-5), piece.subarray(0, 5)]).equals(part))
      assert.deepStrictEqual(yield* left, { keys: [`one/blobs/${hash}`], uploads: [] })
      yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY)
    })
  )

  it.live("stores equal content once, and counts it as written anew", () =>
    Effect.gen(function* () {
      const { blobs, left } = yield* fresh
      for (const size of [100, 9 * mib]) {
        const write = Effect.suspend(() => blobs.write("one", cut(noise(size))))
        const { sha256: hash } = yield* write
        const [first] = yield* Stream.runCollect(blobs.list("one"))
        yield* Effect.sleep("20 millis")
        const written = yield* Effect.replicateEffect(write, 6, { concurrency: "unbounded" })
        assert.isTrue(written.every((blob) => blob.sha256 === hash))
        const [again] = yield* Stream.runCollect(blobs.list("one"))
        assert.isAbove(again!.storedAt, first!.storedAt)
        assert.isFalse(yield* blobs.remove("one", hash, first!.storedAt + 1))
        assert.deepStrictEqual(yield* left, { keys: [`one/blobs/${hash}`], uploads: [] })
        yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY)
      }
    })
  )

  it.live("lists more than a page in the order of the hashes", () =>
    Effect.gen(function* () {
      const { place, blobs } = yield* fresh
      const hashes = Array.from({ length: 1010 }, (_, n) => sha256(noise(8, n + 1)))
      const put = (hash: string) =>
        s3.send(new PutObjectCommand({ Bucket: place.bucket, Key: `some/prefix/one/blobs/${hash}`, Body: "x" }))
      yield* Effect.forEach(hashes, (hash) => Effect.promise(() => put(hash)), { concurrency: 16 })
      const listed = yield* Stream.runCollect(blobs.list("one"))
      assert.deepStrictEqual(
        listed.map((blob) => blob.sha256),
        [...hashes].sort()
      )
    })
  )

  it.live("is empty after writes that were interrupted at any moment", () =>
    Effect.gen(function* () {
      const { blobs, left } = yield* fresh
      const bytes = noise(20 * mib, 3)
      const started = performance.now()
      yield* blobs.write("one", cut(bytes))
      const whole = performance.now() - started
      yield* blobs.remove("one", sha256(bytes), Number.POSITIVE_INFINITY)
      let interrupted = 0
      for (let round = 0; round < 24; round++) {
        const writing = yield* Effect.forkChild(blobs.write("one", cut(bytes)))
        yield* Effect.sleep((whole * round) / 24)
        yield* Fiber.interrupt(writing)
        if ((yield* Fiber.await(writing))._tag === "Failure") interrupted++
        // At its very end a write may have given the blob its name already.
        yield* blobs.remove("one", sha256(bytes), Number.POSITIVE_INFINITY)
        assert.deepStrictEqual(yield* left, nothing, `round ${round}`)
      }
      assert.isAbove(interrupted, 5)
    })
  )

  it.live("keeps nothing of a source that fails, and lets go of one that says nothing", () =>
    Effect.gen(function* () {
      const { place, blobs, left } = yield* fresh
      const broken = async function* () {
        yield noise(20 * mib)
        throw new Error("cut")
      }
      assert.strictEqual(yield* Effect.flip(blobs.write("one", broken(), () => "mine" as const)), "mine")
      assert.deepStrictEqual(yield* left, nothing)
      const writing = yield* Effect.forkChild(blobs.write("one", silent(20 * mib)))
      yield* Effect.promise(() => eventually("it has begun", async () => (await uploadsIn(place)).length === 1))
      yield* Fiber.interrupt(writing)
      assert.deepStrictEqual(yield* left, nothing)
    })
  )

  it.live("is rid of what killed processes have left, and of nothing else", () =>
    Effect.gen(function* () {
      const { place, blobs, left } = yield* fresh
      const blob = yield* blobs.write("one", cut(noise(10)))
      const writing = yield* Effect.forkChild(blobs.write("one", silent(20 * mib)))
      const writer = runFile(new URL("./writer.ts", import.meta.url), [place.bucket, place.endpoint!])
      yield* Effect.promise(() => writer.line("writing"))
      yield* Effect.promise(() => eventually("two uploads", async () => (await uploadsIn(place)).length === 2))
      writer.process.kill("SIGKILL")
      yield* Effect.promise(() => writer.exit)
      // Killed while copying a finished upload: a temporary object, and an upload to the blob's final key.
      const dead = `${writer.process.pid}-1-${(yield* left).uploads[0]!.split("-")[2]}-00`
      const Bucket = place.bucket
      const orphan = { Bucket, Key: `some/prefix/two/blobs/${"a".repeat(64)}` }
      yield* Effect.promise(async () => {
        await s3.send(new PutObjectCommand({ Bucket, Key: `some/prefix/two/tmp/${dead}`, Body: "x" }))
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand(orphan))
        await s3.send(new UploadPartCommand({ ...orphan, UploadId, PartNumber: 1, Body: "x" }))
      })
      assert.strictEqual((yield* left).uploads.length, 3)
      yield* blobsAt(place)
      yield* Effect.promise(() =>
        eventually("only the living upload", async () => (await uploadsIn(place)).length === 1)
      )
      assert.deepStrictEqual((yield* left).keys, [`one/blobs/${blob.sha256}`])
      yield* Fiber.interrupt(writing)
      assert.deepStrictEqual((yield* left).uploads, [])
    })
  )
})
