import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { seed } from "../support/random.ts"
import { cut, joined, noise, sha256 } from "./bytes.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The behaviour of blobs in every storage. Each test starts without blobs. */
export const behaviour = <E>(name: string, layer: Layer.Layer<Blobs, E>, runs = 60) =>
  describe(name, () => {
    it.effect("gives back what was written, whole and in parts", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const bytes = noise(3_000_001)
        const blob = yield* blobs.write("one", cut(bytes))
        assert.deepStrictEqual(blob, { sha256: sha256(bytes), size: bytes.length })
        assert.strictEqual(yield* blobs.size("one", blob.sha256), bytes.length)
        assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", blob.sha256))))
        const spans = [
          [0, 1],
          [0, 524_288],
          [524_287, 524_289],
          [1_000_000, 3_000_001],
          [3_000_000, 3_000_001],
          [7, 7]
        ] as const
        for (const [start, end] of spans) {
          const part = yield* joined(yield* blobs.read("one", blob.sha256, { start, end }))
          assert.isTrue(bytes.subarray(start, end).equals(part), `${start}-${end}`)
        }
      }).pipe(Effect.provide(layer))
    )

    it.effect("reads in chunks of 512 KiB", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const { sha256 } = yield* blobs.write("one", cut(noise(1_200_000)))
        const chunks = yield* Stream.runCollect(yield* blobs.read("one", sha256))
        assert.deepStrictEqual(
          chunks.map((chunk) => chunk.length),
          [524_288, 524_288, 151_424]
        )
      }).pipe(Effect.provide(layer))
    )

    it.effect("takes Node streams, empty sources and empty chunks", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const bytes = noise(100_000, 2)
        const stream = Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])
        assert.strictEqual((yield* blobs.write("one", stream)).sha256, sha256(bytes))
        const empty = yield* blobs.write("one", cut(Buffer.alloc(0)))
        assert.deepStrictEqual(empty, { sha256: sha256(Buffer.alloc(0)), size: 0 })
        assert.strictEqual((yield* joined(yield* blobs.read("one", empty.sha256))).length, 0)
        assert.strictEqual((yield* blobs.write("one", cut(bytes, [0, 7000]))).sha256, sha256(bytes))
      }).pipe(Effect.provide(layer))
    )

    it.effect.prop(
      "keeps any content in any cutting",
      {
        size: between(0, 5000),
        seed: between(1, 1_000_000),
        lengths: Schema.Array(between(0, 3000)).check(Schema.isMinLength(1), Schema.isMaxLength(8)),
        start: between(0, 5000),
        end: between(0, 5000)
      },
      ({ size, seed, lengths, start, end }) =>
        Effect.gen(function* () {
          const blobs = yield* Blobs
          const bytes = noise(size, seed)
          const pieces = [...lengths, 1]
          const blob = yield* blobs.write("one", cut(bytes, pieces))
          assert.deepStrictEqual(blob, { sha256: sha256(bytes), size })
          const span = { start: Math.min(start, end, size), end: Math.min(Math.max(start, end), size) }
          const part = yield* joined(yield* blobs.read("one", blob.sha256, span))
          assert.isTrue(bytes.subarray(span.start, span.end).equals(part))
        }).pipe(Effect.provide(layer)),
      { arbitrary: { seed, runs } }
    )

    it.effect("keeps tenants apart", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const { sha256 } = yield* blobs.write("one", cut(noise(10)))
        assert.strictEqual(yield* blobs.size("two", sha256), undefined)
        assert.strictEqual((yield* Effect.flip(blobs.read("two", sha256))).storage, "data")
        assert.isFalse(yield* blobs.remove("two", sha256, Number.POSITIVE_INFINITY))
        assert.strictEqual(yield* blobs.size("one", sha256), 10)
        assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("two")), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("fails with what became of the source, and stores nothing", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const broken = async function* () {
          yield noise(70_000)
          throw new Error("cut")
        }
        const failure = yield* Effect.flip(blobs.write("one", broken(), (cause) => ({ cause })))
        assert.instanceOf("cause" in failure ? failure.cause : undefined, Error)
        assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("one")), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("refuses a span that the content does not have", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const { sha256 } = yield* blobs.write("one", cut(noise(10)))
        yield* Effect.flip(blobs.read("one", sha256, { start: 0, end: 11 }))
      }).pipe(Effect.provide(layer))
    )

    it.live("lists and removes, unless it was written since", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const written = yield* Effect.forEach([3, 4, 5], (seed) => blobs.write("one", cut(noise(100, seed))))
        const listed = yield* Stream.runCollect(blobs.list("one"))
        assert.deepStrictEqual(
          listed.map((blob) => blob.sha256),
          written.map((blob) => blob.sha256).sort()
        )
        assert.deepStrictEqual(
          listed.map((blob) => blob.size),
          [100, 100, 100]
        )
        const { sha256, storedAt } = listed[1]!
        assert.closeTo(storedAt, Date.now(), 600_000)
        assert.isFalse(yield* blobs.remove("one", sha256, storedAt))
        assert.isTrue(yield* blobs.remove("one", sha256, storedAt + 1))
        assert.isFalse(yield* blobs.remove("one", sha256, Number.POSITIVE_INFINITY))
        assert.strictEqual(yield* blobs.size("one", sha256), undefined)
        assert.strictEqual((yield* Stream.runCollect(blobs.list("one"))).length, 2)
      }).pipe(Effect.provide(layer))
    )

    it.live("finishes a read whose blob is removed meanwhile", () =>
      Effect.gen(function* () {
        const blobs = yield* Blobs
        const bytes = noise(2_000_000)
        const { sha256 } = yield* blobs.write("one", cut(bytes))
        const stream = yield* blobs.read("one", sha256)
        assert.isTrue(yield* blobs.remove("one", sha256, Number.POSITIVE_INFINITY))
        assert.isTrue(bytes.equals(yield* joined(stream)))
      }).pipe(Effect.provide(layer))
    )

    it.effect("is healthy", () => Effect.flatMap(Blobs, (blobs) => blobs.health).pipe(Effect.provide(layer)))
  })
