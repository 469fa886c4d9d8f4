import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { inject } from "vitest"
import type { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { cut, joined, noise, sha256 } from "../blobs/bytes.ts"
import { eventually } from "../support/process.ts"
import { blobsAt, freshPlace, keysIn, uploadsIn } from "./bucket.ts"
import { killed, startRadosgw } from "./ceph.ts"

const mib = 1024 * 1024
const deadline = 1000
const { folder, osdPid } = inject("ceph")

const frozen = (pid: number) =>
  Effect.acquireRelease(
    Effect.sync(() => process.kill(pid, "SIGSTOP")),
    () => Effect.sync(() => process.kill(pid, "SIGCONT"))
  )

/** A radosgw for a single test to disturb, with a bucket and its blobs. */
const own = Effect.gen(function* () {
  let server: Awaited<ReturnType<typeof startRadosgw>> = yield* Effect.promise(() => startRadosgw(folder))
  yield* Effect.addFinalizer(() => Effect.promise(() => killed(server.child)))
  const place = { ...(yield* freshPlace), endpoint: server.endpoint }
  const kill = Effect.promise(() => killed(server.child))
  const restart = Effect.promise(async () => {
    server = await startRadosgw(folder, server.port)
  })
  return { place, kill, restart, pid: () => server.child.pid!, blobs: yield* blobsAt(place, deadline) }
})

/** Fails with the 504 of the contract, in time. */
const isUnreachable = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const started = performance.now()
    const error = yield* Effect.flip(effect)
    assert.instanceOf(error, StorageUnreachable)
    assert.isBelow(performance.now() - started, deadline + 4000)
  })

/** Every operation of the port on an existing blob. */
const everything = (blobs: Blobs["Service"], hash: string) => [
  blobs.write("one", cut(noise(10))),
  blobs.write("one", cut(noise(20 * mib))),
  blobs.size("one", hash),
  blobs.size("one", "0".repeat(64)),
  blobs.read("one", hash),
  blobs.read("one", hash, { start: 0, end: 0 }),
  blobs.remove("one", hash, Date.now()),
  Stream.runCollect(blobs.list("one")),
  blobs.health
]

const allUnreachable = (blobs: Blobs["Service"], hash: string) =>
  Effect.forEach(everything(blobs, hash), (effect) => isUnreachable<unknown, unknown>(effect), {
    concurrency: "unbounded"
  })

const works = (blobs: Blobs["Service"], bytes: Buffer) =>
  Effect.gen(function* () {
    yield* blobs.health
    assert.isTrue(bytes.equals(yield* joined(yield* blobs.read("one", sha256(bytes)))))
    yield* blobs.write("one", cut(noise(9 * mib, 5)))
  })

/** A source that continues until it is told to end. */
const endless = (state: { ended: boolean }) =>
  (async function* () {
    const piece = noise(mib)
    while (!state.ended) {
      yield piece
      await new Promise((resume) => setTimeout(resume, 5))
    }
  })()

describe("an S3 server", () => {
  it.live("that is killed answers 504 to everything until it is back", () =>
    Effect.gen(function* () {
      const { blobs, kill, restart } = yield* own
      const bytes = noise(1000)
      const { sha256 } = yield* blobs.write("one", cut(bytes))
      yield* kill
      yield* allUnreachable(blobs, sha256)
      yield* restart
      yield* works(blobs, bytes)
    })
  )

  it.live("that is frozen costs one deadline, and is used again when it goes on", () =>
    Effect.gen(function* () {
      const { place, blobs, pid } = yield* own
      const bytes = noise(1000)
      const { sha256 } = yield* blobs.write("one", cut(bytes))
      yield* Effect.scoped(Effect.andThen(frozen(pid()), allUnreachable(blobs, sha256)))
      yield* blobs.write("one", cut(bytes))
      yield* works(blobs, bytes)
      // Uploads that the server began while it was frozen are aborted by the next sweep.
      yield* blobsAt(place, deadline)
      yield* Effect.promise(() => eventually("no upload", async () => (await uploadsIn(place)).length === 0))
      yield* Effect.promise(() =>
        eventually("no temporary object", async () => !(await keysIn(place)).some((key) => key.includes("/tmp/")))
      )
    })
  )

  it.live("whose disk hangs is no different", () =>
    Effect.gen(function* () {
      const { blobs } = yield* own
      const bytes = noise(1000)
      const { sha256 } = yield* blobs.write("one", cut(bytes))
      yield* Effect.scoped(Effect.andThen(frozen(osdPid), allUnreachable(blobs, sha256)))
      yield* blobs.write("one", cut(bytes))
      yield* works(blobs, bytes)
    })
  )

  it.live("that is killed in the middle of an upload has nothing of it", () =>
    Effect.gen(function* () {
      const { place, blobs, kill, restart } = yield* own
      const state = { ended: false }
      const writing = yield* Effect.forkChild(isUnreachable(blobs.write("one", endless(state))))
      yield* Effect.promise(() => eventually("it has begun", async () => (await uploadsIn(place)).length === 1))
      yield* kill
      yield* Fiber.join(writing)
      state.ended = true
      yield* restart
      assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("one")), [])
      yield* blobsAt(place, deadline)
      yield* Effect.promise(() => eventually("no upload", async () => (await uploadsIn(place)).length === 0))
      assert.deepStrictEqual(yield* Effect.promise(() => keysIn(place)), [])
    })
  )

  it.live("that is frozen in the middle of an upload fails it within the deadline", () =>
    Effect.gen(function* () {
      const { place, blobs, pid } = yield* own
      const state = { ended: false }
      const writing = yield* Effect.forkChild(Effect.flip(blobs.write("one", endless(state))))
      yield* Effect.promise(() => eventually("it has begun", async () => (await uploadsIn(place)).length === 1))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* frozen(pid())
          const started = performance.now()
          assert.instanceOf(yield* Fiber.join(writing), StorageUnreachable)
          assert.isBelow(performance.now() - started, deadline + 4000)
        })
      )
      state.ended = true
    })
  )

  it.live("that goes away in the middle of a download breaks it, unless it comes back in time", () =>
    Effect.gen(function* () {
      const { blobs, kill, restart } = yield* own
      const bytes = noise(40 * mib)
      const { sha256: hash } = yield* blobs.write("one", cut(bytes))
      let [read, meanwhile] = [0, kill]
      const slowly = (stream: Stream.Stream<Uint8Array, StorageUnreachable>) =>
        Stream.tap(stream, (chunk) => {
          read += chunk.length
          return read === 4 * chunk.length ? meanwhile : Effect.void
        })
      yield* isUnreachable(Stream.runDrain(slowly(yield* blobs.read("one", hash))))
      assert.isAtLeast(read, 2 * mib)
      yield* restart
      read = 0
      meanwhile = Effect.andThen(kill, restart)
      assert.isTrue(bytes.equals(yield* joined(slowly(yield* blobs.read("one", hash)))))
    })
  )

  it.live("that is frozen in the middle of a download breaks it within the deadline", () =>
    Effect.gen(function* () {
      const { blobs, pid } = yield* own
      const { sha256: hash } = yield* blobs.write("one", cut(noise(40 * mib)))
      const stream = yield* blobs.read("one", hash)
      let read = 0
      const freezing = Stream.tap(stream, () => (read++ === 0 ? frozen(pid()) : Effect.void))
      yield* isUnreachable(Effect.scoped(Stream.runDrain(freezing)))
    })
  )

  it.live("waits for a reader that takes longer than its own deadline", () =>
    Effect.gen(function* () {
      const { blobs } = yield* own
      const bytes = noise(20 * mib)
      const { sha256: hash } = yield* blobs.write("one", cut(bytes))
      let read = 0
      const pausing = Stream.tap(yield* blobs.read("one", hash), () =>
        read++ === 2 ? Effect.sleep(2.5 * deadline) : Effect.void
      )
      assert.isTrue(bytes.equals(yield* joined(pausing)))
    })
  )
})
