import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { BlobSweep } from "../../src/services/blobs/BlobSweep.ts"
import { TenantId, Tenants } from "../../src/services/shared/Tenant.ts"
import { auditing } from "../memory/Audit.ts"
import * as MemoryLedger from "../memory/BlobLedger.ts"
import * as MemoryBlobs from "../memory/Blobs.ts"
import { cut, noise } from "./bytes.ts"

const tenant = TenantId("one")

/** A gateway's sweep, and which blobs are held by rows. */
const make = Effect.gen(function* () {
  yield* TestClock.setTime(Date.now() + 2 * 3_600_000)
  const tenants = Tenants.of({ exists: () => Effect.succeed(true), names: Effect.succeed([tenant]) })
  const context = yield* Layer.build(
    BlobSweep.schedule().pipe(
      Layer.provideMerge(BlobSweep.layer("1 hour", "24 hours")),
      Layer.provideMerge([MemoryBlobs.layer, MemoryLedger.layer, auditing, Layer.succeed(Tenants, tenants)])
    )
  )
  const blobs = Context.get(context, Blobs)
  const sweep = Context.get(context, BlobSweep)
  const held = new Set<string>()
  yield* sweep.hold((_, asked) => Effect.succeed(asked.filter((sha256) => held.has(sha256))))
  const store = (count: number, from = 1) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n + from),
      (seed) => Effect.map(blobs.write(tenant, cut(noise(10, seed))), ({ sha256 }) => sha256)
    )
  const left = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
    return (yield* Effect.filter(hashes, (sha256) => Effect.map(blobs.size(tenant, sha256), (size) => size === 10)))
      .length
  })
  return { sweep, held, store, left }
})

describe("unused blobs", () => {
  it.effect("wait for a day before their bytes are removed", () =>
    Effect.gen(function* () {
      const { held, store, left, sweep } = yield* make
      const [freed, orphan, kept] = yield* store(3)
      held.add(kept!)
      yield* sweep.release(tenant, [freed!])
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* left([freed!, orphan!, kept!]), 2)
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual(yield* left([freed!, orphan!]), 0)
      assert.strictEqual(yield* left([kept!]), 1)
    })
  )

  it.effect("stay when a row refers to them again, and wait anew after that", () =>
    Effect.gen(function* () {
      const { held, store, left, sweep } = yield* make
      const all = yield* store(1)
      yield* sweep.release(tenant, all)
      yield* TestClock.adjust("12 hours")
      held.add(all[0]!)
      yield* TestClock.adjust("13 hours")
      held.clear()
      yield* sweep.release(tenant, all)
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(yield* left(all), 1)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* left(all), 0)
    })
  )

  it.effect("go at once when they are asked to", () =>
    Effect.gen(function* () {
      const { store, left, sweep } = yield* make
      const all = yield* store(2)
      yield* sweep.release(tenant, all)
      assert.strictEqual((yield* sweep.run(tenant, true)).length, 2)
      assert.strictEqual(yield* left(all), 2)
      assert.strictEqual((yield* sweep.run(tenant, false)).length, 2)
      assert.strictEqual(yield* left(all), 0)
    })
  )

  it.effect(
    "stay when they are most of a tenant's and no deletion has freed them, as with a database that lost its rows",
    () =>
      Effect.gen(function* () {
        const { held, store, left, sweep } = yield* make
        const lost = yield* store(11)
        const kept = yield* store(5, 100)
        for (const sha256 of kept) held.add(sha256)
        const freed = yield* store(3, 200)
        yield* sweep.release(tenant, freed)
        yield* TestClock.adjust("72 hours")
        assert.strictEqual(yield* left(lost), 11)
        assert.strictEqual(yield* left(kept), 5)
        assert.strictEqual(yield* left(freed), 0)
        for (const sha256 of yield* store(7, 300)) held.add(sha256)
        yield* TestClock.adjust("15 minutes")
        assert.strictEqual(yield* left(lost), 0)
      })
  )
})
