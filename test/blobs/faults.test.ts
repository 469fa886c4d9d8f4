import { execFileSync, spawn } from "node:child_process"
import { closeSync, constants, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schedule, Stream } from "effect"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { eventually } from "../support/process.ts"
import { cut, joined, noise, sha256 } from "./bytes.ts"
import { diskAt, filesBelow, openBelow, scratch, tmpfs } from "./folder.ts"

/** The effect fails with the 504 of the contract. */
const isUnreachable = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => assert.instanceOf(error, StorageUnreachable))

/** The same without waiting at all: even a timer that is due now would fire later. */
const isUnreachableNow = <A, E>(effect: Effect.Effect<A, E>) =>
  isUnreachable(Effect.raceFirst(effect, Effect.as(Effect.sleep(0), "late")))

/** Runs the writer of another process under a limit on the size of its files. */
const writeLimited = (root: string, kibibytes: number) =>
  new Promise<string>((resolve) => {
    const script = fileURLToPath(new URL("./writer.ts", import.meta.url))
    const command = `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$0" "$@"`
    const child = spawn("bash", ["-c", command, process.execPath, script, root, "8"])
    let out = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.on("close", () => resolve(out.trim().split("\n").at(-1) ?? ""))
  })

describe("a disk in trouble", () => {
  it.live("that is full refuses, keeps nothing, and works again when there is room", () =>
    Effect.gen(function* () {
      const mounted = yield* tmpfs(4096)
      // Without the right to mount, the test below covers writes that the kernel aborts.
      const folder = mounted ?? (yield* scratch)
      const blobs = yield* diskAt(join(folder, "blobs"))
      const small = yield* blobs.write("one", cut(noise(500_000)))
      if (mounted !== undefined) yield* isUnreachable(blobs.write("one", cut(noise(8_000_000))))
      assert.strictEqual(filesBelow(join(folder, "blobs")).length, 1)
      yield* blobs.write("one", cut(noise(2_000_000, 2)))
      // One that is written by one call, too, beside another that finds room.
      const short = [blobs.write("one", cut(noise(900_000, 3))), blobs.write("one", cut(noise(900_000, 4)))]
      if (mounted !== undefined) {
        const both = yield* Effect.all(short.map(Effect.result), { concurrency: 2 })
        assert.isTrue(both.some(Result.isFailure))
        assert.strictEqual(filesBelow(join(folder, "blobs")).length, 2 + both.filter(Result.isSuccess).length)
      }
      assert.isTrue(noise(500_000).equals(yield* joined(yield* blobs.read("one", small.sha256))))
    })
  )

  it.live("that breaks a write off in the middle keeps nothing of it", () =>
    Effect.gen(function* () {
      const root = join(yield* scratch, "blobs")
      assert.strictEqual(yield* Effect.promise(() => writeLimited(root, 2500)), "StorageUnreachable")
      assert.deepStrictEqual(filesBelow(root), [])
      assert.strictEqual(yield* Effect.promise(() => writeLimited(root, 10_000)), "stored")
      assert.strictEqual(filesBelow(root).length, 1)
    })
  )

  it.live("whose folder is gone answers 504 to everything until it is back", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      const root = join(folder, "blobs")
      const blobs = yield* diskAt(root)
      const { sha256 } = yield* blobs.write("one", cut(noise(1000)))
      renameSync(root, join(folder, "away"))
      yield* isUnreachable(blobs.write("one", cut(noise(10))))
      yield* isUnreachable(blobs.write("two", cut(noise(10))))
      yield* isUnreachable(blobs.read("one", sha256))
      yield* isUnreachable(blobs.size("one", sha256))
      yield* isUnreachable(blobs.remove("one", sha256, Number.POSITIVE_INFINITY))
      yield* isUnreachable(Stream.runCollect(blobs.list("one")))
      yield* isUnreachable(blobs.health)
      assert.deepStrictEqual(filesBelow(root), [])
      renameSync(join(folder, "away"), root)
      yield* blobs.health
      assert.isTrue(noise(1000).equals(yield* joined(yield* blobs.read("one", sha256))))
      // An operator may also put an empty folder in its place.
      rmSync(root, { recursive: true })
      mkdirSync(root)
      yield* blobs.health
      assert.strictEqual(yield* blobs.size("one", sha256), undefined)
      assert.strictEqual((yield* blobs.write("one", cut(noise(1000)))).sha256, sha256)
    })
  )

  it.live("that is not there at the start is used when it comes", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      writeFileSync(join(folder, "data"), "")
      const blobs = yield* diskAt(join(folder, "data", "blobs"))
      yield* isUnreachable(blobs.write("one", cut(noise(10))))
      yield* isUnreachable(blobs.health)
      rmSync(join(folder, "data"))
      mkdirSync(join(folder, "data"))
      yield* blobs.write("one", cut(noise(10)))
      yield* blobs.health
    })
  )

  it.live("that is unmounted is not written through", () =>
    Effect.gen(function* () {
      const root = yield* tmpfs(8192)
      if (root === undefined) return assert.notStrictEqual(process.getuid?.(), 0, "root can mount")
      const blobs = yield* diskAt(root)
      const { sha256 } = yield* blobs.write("one", cut(noise(1000)))
      execFileSync("umount", [root])
      yield* isUnreachable(blobs.write("one", cut(noise(10))))
      yield* isUnreachable(blobs.size("one", sha256))
      yield* isUnreachable(blobs.health)
      assert.deepStrictEqual(filesBelow(root), [])
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", root])
      yield* blobs.write("one", cut(noise(10)))
      yield* blobs.health
    })
  )

  // Then the only thread hangs.
  const hasOneThread = process.env["UV_THREADPOOL_SIZE"] === "1"

  it.live.skipIf(hasOneThread)(
    "that hangs costs one deadline, leaves a thread to others, and is used again when it answers",
    () =>
      Effect.gen(function* () {
        const root = join(yield* scratch, "blobs")
        const blobs = yield* diskAt(root, "300 millis")
        // A busy machine may need longer than this deadline for what does not hang.
        const inTime = Effect.retry({ schedule: Schedule.spaced(100), times: 600 })
        const { sha256: hash } = yield* inTime(Effect.suspend(() => blobs.write("one", cut(noise(1000)))))
        // Opening a pipe that nobody writes to blocks in the kernel, as a file of a dead network disk does.
        const pipe = sha256(noise(3))
        const path = join(root, "one", "blobs", pipe.slice(0, 2), pipe)
        mkdirSync(join(root, "one", "blobs", pipe.slice(0, 2)), { recursive: true })
        execFileSync("mkfifo", [path])

        const hanging = Effect.replicateEffect(isUnreachable(blobs.read("one", pipe)), 8, {
          concurrency: "unbounded"
        })
        yield* hanging
        // No more threads are risked, so the answer is immediate.
        yield* isUnreachableNow(blobs.read("one", hash))
        yield* isUnreachableNow(blobs.write("one", cut(noise(10))))
        yield* isUnreachableNow(blobs.health)
        const elsewhere = yield* Effect.promise(() => readFile(new URL(import.meta.url)))
        assert.isTrue(elsewhere.equals(readFileSync(new URL(import.meta.url))))

        const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
        yield* Effect.promise(() => eventually("late files are closed", () => openBelow(path).length === 1))
        closeSync(writer)
        yield* inTime(blobs.health)
        const read = Effect.flatMap(blobs.read("one", hash), joined)
        assert.isTrue(noise(1000).equals(yield* inTime(read)))
        yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
      })
  )
})
