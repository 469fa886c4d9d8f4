import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cut, joined, noise, received as receivedOf, sha256 } from "../blobs/bytes.ts"
import { blobsAt, freshPlace, s3 } from "./bucket.ts"

const fast = Number.MAX_SAFE_INTEGER

const stored = Effect.fnUntraced(function* (size: number, versioned: boolean) {
  const place = yield* freshPlace
  const Bucket = place.bucket
  if (versioned) {
    const VersioningConfiguration = { Status: "Enabled" } as const
    yield* Effect.promise(() => s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })))
  }
  const blobs = yield* blobsAt(place)
  const bytes = noise(size)
  const hash = sha256(bytes)
  yield* blobs.write("one", cut(bytes, [1_000_000]))
  const flip = (at: number) =>
    Effect.promise(async () => {
      const object = { Bucket, Key: `some/prefix/one/blobs/${hash}` }
      const content = await (await s3.send(new GetObjectCommand(object))).Body!.transformToByteArray()
      content[at]! ^= 1
      await s3.send(new PutObjectCommand({ ...object, Body: content }))
    })
  const received = (span?: { readonly start: number; readonly end: number }) =>
    receivedOf(blobs.read("one", hash, span))
  return { place, blobs, bytes, hash, flip, received }
})

const sizes = [1000, 200_000, 9_000_001]

describe("a flipped bit in an object", () => {
  it.live.each(sizes)("of %i bytes is sent to nobody, and storing the content again repairs it", (size) =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, flip, received } = yield* stored(size, false)
      const at = size - 100
      yield* flip(at)
      for (const span of [undefined, { start: 0, end: size }]) {
        const { isWhole, bytes: got } = yield* received(span)
        assert.isFalse(isWhole)
        assert.isTrue(got.length < size && bytes.subarray(0, got.length).equals(got))
      }
      assert.isFalse((yield* received({ start: at, end: at + 1 })).isWhole)
      assert.deepStrictEqual(yield* blobs.suspects, [{ tenant: "one", sha256: hash }])
      assert.strictEqual(yield* blobs.check("one", hash, fast), "damaged")
      yield* blobs.write("one", cut(bytes))
      assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", hash))))
      assert.isTrue(bytes.subarray(at, at + 9).equals((yield* received({ start: at, end: at + 9 })).bytes))
      assert.strictEqual(yield* blobs.check("one", hash, fast), "sound")
    })
  )

  it.live("is repaired from a sound version of a bucket with versions", () =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, flip } = yield* stored(9_000_001, true)
      yield* flip(5)
      yield* flip(8_000_000)
      assert.strictEqual(yield* blobs.check("one", hash, fast), "repaired")
      assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", hash))))
      assert.strictEqual(yield* blobs.check("one", "0".repeat(64), fast), "missing")
    })
  )

  it.live("spares the other blocks, and the sums go with their blob", () =>
    Effect.gen(function* () {
      const { place, blobs, bytes, hash, flip, received } = yield* stored(9_000_001, false)
      yield* flip(0)
      const span = { start: 600_000, end: 5_000_000 }
      assert.isTrue(bytes.subarray(span.start, span.end).equals((yield* received(span)).bytes))
      yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY)
      const found = yield* Effect.promise(() => s3.send(new ListObjectsV2Command({ Bucket: place.bucket })))
      assert.deepStrictEqual(
        (found.Contents ?? []).map(({ Key = "" }) => Key).filter((key) => !key.includes("/.health/")),
        []
      )
    })
  )
})

describe("a bucket", () => {
  it.live("knows whose it is, and whether it has blobs", () =>
    Effect.gen(function* () {
      const { blobs, hash } = yield* stored(1000, false)
      assert.isUndefined(yield* blobs.owner)
      yield* blobs.own("first")
      yield* blobs.own("second")
      assert.strictEqual(yield* blobs.owner, "second")
      assert.isFalse(yield* blobs.isEmpty)
      yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY)
      assert.isTrue(yield* blobs.isEmpty)
    })
  )
})
