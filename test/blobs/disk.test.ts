import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { vi } from "vitest"
import { eventually, runFile } from "../support/process.ts"
import { cut, joined, noise, sha256 } from "./bytes.ts"
import { diskAt, filesBelow, openBelow, scratch } from "./folder.ts"

const fresh = Effect.gen(function* () {
  const root = join(yield* scratch, "blobs")
  return { root, blobs: yield* diskAt(root) }
})

/** A source that stalls after its first chunk, after a file has been opened for it. */
const silent = async function* () {
  yield noise(1_100_000)
  await new Promise(() => {})
}

const pathOf = (root: string, hash: string) => join(root, "one", "blobs", hash.slice(0, 2), hash)

describe("the folder of blobs", () => {
  it.live("is readable by its owner only and holds a blob under its hash", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(10)
      yield* blobs.write("one", cut(bytes))
      const path = pathOf(root, sha256(bytes))
      assert.deepStrictEqual(filesBelow(root), [path.slice(root.length + 1)])
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      for (const folder of ["", "one", "one/tmp", "one/blobs", `one/blobs/${sha256(bytes).slice(0, 2)}`]) {
        assert.strictEqual(statSync(join(root, folder)).mode & 0o777, 0o700, folder)
      }
    })
  )

  it.live("lists its blobs among files and folders that others have left there", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const stored = yield* blobs.write("one", cut(noise(10)))
      const folder = join(root, "one", "blobs")
      const fan = join(folder, stored.sha256.slice(0, 2))
      const other = stored.sha256.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))
      for (const path of [
        join(folder, "README"),
        join(folder, "00"),
        join(fan, "notes.txt"),
        join(folder, ".snapshot")
      ])
        if (!existsSync(path)) writeFileSync(path, "not ours")
      mkdirSync(join(folder, "lost+found"))
      mkdirSync(join(fan, other))
      symlinkSync(join(fan, "notes.txt"), join(fan, `${other.slice(0, -1)}f`))
      symlinkSync(join(folder, "ff"), join(folder, "ff"))
      const listed = yield* Stream.runCollect(blobs.list("one"))
      assert.deepStrictEqual(
        listed.map(({ sha256 }) => sha256),
        [stored.sha256]
      )
    })
  )

  it.live("stores equal content once, also when many write it at once", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(1_500_000)
      const write = Effect.suspend(() => blobs.write("one", cut(bytes, [70_001])))
      yield* write
      const path = pathOf(root, sha256(bytes))
      utimesSync(path, 1000, 1000)
      const written = yield* Effect.replicateEffect(write, 20, { concurrency: "unbounded" })
      assert.isTrue(written.every((blob) => blob.sha256 === sha256(bytes)))
      assert.deepStrictEqual(filesBelow(root), [path.slice(root.length + 1)])
      assert.isTrue(bytes.equals(readFileSync(path)))
      assert.isAbove(statSync(path).mtimeMs, Date.now() - 3_600_000)
    })
  )

  it.live("makes one blob of twenty first writers", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(1_500_000, 2)
      const write = Effect.suspend(() => blobs.write("one", cut(bytes)))
      yield* Effect.replicateEffect(write, 20, { concurrency: "unbounded" })
      assert.deepStrictEqual(filesBelow(root), [pathOf(root, sha256(bytes)).slice(root.length + 1)])
      assert.strictEqual(statSync(pathOf(root, sha256(bytes))).nlink, 1)
    })
  )

  it.live("is empty after writes that were interrupted at any moment", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(3_000_000, 3)
      let interrupted = 0
      for (let round = 0; round < 24; round++) {
        // Between the source's first chunk and its last one, and in the turns behind it.
        let left = round * 2
        const reached = yield* Deferred.make<void>()
        const source = async function* () {
          for await (const chunk of cut(bytes)) {
            if (left-- <= 0) Deferred.doneUnsafe(reached, Effect.void)
            yield chunk
          }
          Deferred.doneUnsafe(reached, Effect.void)
        }
        const writing = yield* Effect.forkChild(blobs.write("one", source()))
        yield* Deferred.await(reached)
        for (let turn = round % 6; turn > 0; turn--)
          yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
        yield* Fiber.interrupt(writing)
        const exit = yield* Fiber.await(writing)
        if (exit._tag === "Success") yield* blobs.remove("one", sha256(bytes), Number.POSITIVE_INFINITY)
        else interrupted++
        assert.deepStrictEqual(filesBelow(root), [], `round ${round}, ${exit._tag}`)
      }
      assert.isAbove(interrupted, 5)
      yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
    })
  )

  it.live("lets go of a source that says nothing", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const writing = yield* Effect.forkChild(blobs.write("one", silent()))
      yield* Effect.promise(() => eventually("a temporary file", () => filesBelow(root).length === 1))
      yield* Fiber.interrupt(writing)
      assert.deepStrictEqual(filesBelow(root), [])
    })
  )

  it.live("closes the files of 100 readers that went away", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const { sha256 } = yield* blobs.write("one", cut(noise(3_000_000, 4)))
      const leave = Effect.flatMap(blobs.read("one", sha256), (stream) => Stream.runDrain(Stream.take(stream, 1)))
      const stop = Effect.gen(function* () {
        const reading = yield* Effect.forkChild(Effect.flatMap(blobs.read("one", sha256), Stream.runDrain))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(reading)
      })
      yield* Effect.replicateEffect(leave, 50, { concurrency: 10 })
      yield* Effect.replicateEffect(stop, 50, { concurrency: 10 })
      const stream = yield* blobs.read("one", sha256)
      yield* Stream.runDrain(stream)
      yield* Stream.runDrain(stream)
      yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
    })
  )

  it.live("closes a file that nobody starts to read, and opens it again for who does", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(1_000_000, 4)
      const { sha256 } = yield* blobs.write("one", cut(bytes))
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const stream = yield* Effect.ensuring(
        Effect.tap(blobs.read("one", sha256), () =>
          Effect.sync(() => {
            assert.strictEqual(openBelow(root).length, 1)
            vi.advanceTimersByTime(10_000)
          })
        ),
        Effect.sync(() => vi.useRealTimers())
      )
      yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
      assert.isTrue(bytes.equals(yield* joined(stream)))
    })
  )

  it.live("never takes a damaged blob for a whole one, and repairs it when it is written again", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(2_000_000, 5)
      const hash = sha256(bytes)
      yield* blobs.write("one", cut(bytes))
      const open = yield* blobs.read("one", hash)
      truncateSync(pathOf(root, hash), 1_000_000)
      assert.strictEqual((yield* Effect.flip(joined(open))).storage, "data")
      yield* Effect.flip(blobs.read("one", hash, { start: 0, end: bytes.length }))
      yield* blobs.write("one", cut(bytes))
      assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", hash))))
    })
  )

  it.live("is swept where the folder of unfinished writes is gone, as in one that came from a backup", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const bytes = noise(10)
      yield* blobs.write("one", cut(bytes))
      rmSync(join(root, "one", "tmp"), { recursive: true })
      assert.isTrue(yield* blobs.remove("one", sha256(bytes), Date.now() + 60_000))
      assert.isFalse(existsSync(pathOf(root, sha256(bytes))))
      rmSync(join(root, "one", "tmp"), { recursive: true })
      assert.isFalse(yield* blobs.remove("one", sha256(bytes), Date.now() + 60_000))
    })
  )

  it.live("keeps what is written while it is removed", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const other = yield* diskAt(root)
      const bytes = noise(100, 6)
      const hash = sha256(bytes)
      const hour = 3_600_000
      let removed = 0
      for (let round = 0; round < 60; round++) {
        yield* blobs.write("one", cut(bytes))
        const old = (Date.now() - 2 * hour) / 1000
        utimesSync(pathOf(root, hash), old, old)
        const [wasRemoved] = yield* Effect.all(
          [other.remove("one", hash, Date.now() - hour), blobs.write("one", cut(bytes))],
          { concurrency: "unbounded" }
        )
        if (wasRemoved) removed++
        assert.strictEqual(yield* blobs.size("one", hash), 100, `round ${round}`)
      }
      assert.isAbove(removed, 0)
      assert.strictEqual(filesBelow(root).length, 1)
    })
  )

  it.live("is swept of what dead processes left, and of nothing else", () =>
    Effect.gen(function* () {
      const { root, blobs } = yield* fresh
      const temporary = join(root, "one", "tmp")
      yield* Effect.forkChild(blobs.write("one", silent()))
      yield* Effect.promise(() => eventually("a temporary file", () => filesBelow(root).length === 1))
      const [living] = readdirSync(temporary)

      const dead = yield* Effect.acquireRelease(
        Effect.sync(() => runFile(new URL("./writer.ts", import.meta.url), [root])),
        (running) => Effect.sync(() => running.process.kill("SIGKILL"))
      )
      yield* Effect.promise(() => dead.line("writing"))
      const left = readdirSync(temporary).find((name) => name !== living)
      dead.process.kill("SIGKILL")
      yield* Effect.promise(() => dead.exit)
      const halfRemoved = sha256(noise(3))
      writeFileSync(join(temporary, `${left}0.${halfRemoved}`), noise(3))
      mkdirSync(join(root, "lost+found"))
      assert.strictEqual(readdirSync(temporary).length, 3)

      yield* diskAt(root)
      yield* Effect.promise(() => eventually("one temporary file", () => readdirSync(temporary).length === 1))
      assert.deepStrictEqual(readdirSync(temporary), [living])
      assert.isTrue(noise(3).equals(yield* joined(yield* blobs.read("one", halfRemoved))))
    })
  )
})
