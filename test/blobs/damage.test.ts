import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { until } from "../support/process.ts"
import { openBelow } from "../support/process-gateway.ts"
import { cut, joined, noise, received as receivedOf, sha256 } from "./bytes.ts"
import { diskAt, scratch } from "./folder.ts"

const fast = Number.MAX_SAFE_INTEGER

const stored = Effect.fnUntraced(function* (size: number) {
  const root = join(yield* scratch, "blobs")
  const blobs = yield* diskAt(root)
  const bytes = noise(size)
  const hash = sha256(bytes)
  yield* blobs.write("one", cut(bytes))
  const file = (kind: string) => join(root, "one", kind, hash.slice(0, 2), hash)
  const flip = (at: number, kind = "blobs") => {
    const content = readFileSync(file(kind))
    content[at]! ^= 1
    writeFileSync(file(kind), content)
  }
  const received = (span?: { readonly start: number; readonly end: number }) =>
    receivedOf(blobs.read("one", hash, span))
  return { blobs, bytes, hash, file, flip, received }
})

/** Sizes without sums, of one block and of two, and one with several sums. */
const sizes = [1000, 200_000, 1_000_000, 3_000_001]

describe("a flipped bit", () => {
  it.live.each(sizes)("in %i bytes is sent to nobody, and storing the content again repairs it", (size) =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, flip, received } = yield* stored(size)
      for (const at of [0, size >> 1, size - 1]) {
        flip(at)
        const { isWhole, bytes: got } = yield* received()
        assert.isFalse(isWhole)
        assert.isBelow(got.length, size)
        assert.isTrue(bytes.subarray(0, got.length).equals(got))
        assert.isFalse((yield* received({ start: at, end: at + 1 })).isWhole)
        assert.deepStrictEqual(yield* blobs.suspects, [{ tenant: "one", sha256: hash }])
        assert.deepStrictEqual(yield* blobs.suspects, [])
        assert.strictEqual(yield* blobs.check("one", hash, fast), "damaged")
        yield* blobs.write("one", cut(bytes))
        assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", hash))))
        assert.strictEqual(yield* blobs.check("one", hash, fast), "sound")
      }
    })
  )

  it.live("spoils the parts of its block, and no others", () =>
    Effect.gen(function* () {
      const { bytes, flip, received } = yield* stored(3_000_001)
      const block = 512 * 1024
      flip(2 * block + 5)
      for (const [start, end] of [
        [0, 2 * block],
        [block - 7, block + 9],
        [3 * block, 3_000_001]
      ] as const) {
        const part = yield* received({ start, end })
        assert.isTrue(part.isWhole && bytes.subarray(start, end).equals(part.bytes), `${start}-${end}`)
      }
      for (const [start, end] of [
        [2 * block, 2 * block + 1],
        [3 * block - 1, 3 * block],
        [0, 3 * block]
      ] as const) {
        assert.isFalse((yield* received({ start, end })).isWhole, `${start}-${end}`)
      }
    })
  )

  it.live("behind a part or before it is found where only the whole can be verified", () =>
    Effect.gen(function* () {
      const { bytes, flip, received } = yield* stored(1_000_000)
      const spans = [
        [0, 9],
        [100_000, 600_000],
        [600_000, 600_001],
        [999_999, 1_000_000],
        [7, 7]
      ] as const
      for (const [start, end] of spans) {
        const part = yield* received({ start, end })
        assert.isTrue(part.isWhole && bytes.subarray(start, end).equals(part.bytes), `${start}-${end}`)
      }
      for (const at of [50, 999_990]) {
        flip(at)
        for (const [start, end] of spans) {
          const part = yield* received({ start, end })
          assert.isFalse(part.isWhole, `${at}: ${start}-${end}`)
          assert.isTrue(part.bytes.length < end - start || end === start, `${at}: ${start}-${end}`)
        }
        flip(at)
      }
    })
  )

  it.live("in the sums themselves is no damage, and a check makes them anew", () =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, file, flip, received } = yield* stored(3_000_001)
      flip(30, "sums")
      assert.isTrue(bytes.equals((yield* received()).bytes))
      assert.strictEqual(yield* blobs.check("one", hash, fast), "sound")
      flip(600_000)
      assert.isFalse((yield* received({ start: 600_000, end: 600_001 })).isWhole)
      assert.strictEqual(statSync(file("sums")).mode & 0o777, 0o600)
    })
  )
})

describe("a blob of a version without sums", () => {
  it.live("is verified as a whole, and in parts from its check on", () =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, file, flip, received } = yield* stored(3_000_001)
      rmSync(file("sums"))
      flip(600_000)
      assert.isFalse((yield* received()).isWhole)
      flip(600_000)
      assert.isTrue(bytes.equals((yield* received()).bytes))
      assert.strictEqual(yield* blobs.check("one", hash, fast), "sound")
      flip(600_000)
      assert.isFalse((yield* received({ start: 600_000, end: 600_001 })).isWhole)
    })
  )

  it.live.runIf(existsSync("/proc/self/fd"))("is removed during its check, and gets no sums then", () =>
    Effect.gen(function* () {
      const { blobs, hash, file } = yield* stored(1_200_000)
      rmSync(file("sums"))
      // Half a second, as the check pauses after each block.
      const check = yield* Effect.forkChild(blobs.check("one", hash, 2_400_000))
      yield* until(
        Effect.sync(() => openBelow(process.pid, file("blobs"))),
        (open) => open.length > 0
      )
      assert.isTrue(yield* blobs.remove("one", hash, Date.now() + 60_000))
      yield* Fiber.join(check)
      assert.isFalse(existsSync(file("sums")))
    })
  )

  it.live("goes with its sums, and is missing then", () =>
    Effect.gen(function* () {
      const { blobs, bytes, hash, file } = yield* stored(2_000_000)
      assert.isTrue(existsSync(file("sums")))
      assert.isTrue(yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY))
      assert.isFalse(existsSync(file("sums")))
      assert.strictEqual(yield* blobs.check("one", hash, fast), "missing")
      yield* blobs.write("one", cut(bytes))
      assert.isTrue(yield* blobs.remove("one", hash, Date.now() + 60_000))
      assert.isFalse(existsSync(file("sums")))
    })
  )
})
