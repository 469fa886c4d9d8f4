import { utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { ArchiveId } from "../../src/services/archives/Archive.ts"
import { Archives } from "../../src/services/archives/Archives.ts"
import { BlobSweep } from "../../src/services/blobs/BlobSweep.ts"
import { TenantId, Tenants } from "../../src/services/shared/Tenant.ts"
import { cut, joined, noise } from "../blobs/bytes.ts"
import { filesBelow, scratch } from "../blobs/folder.ts"
import * as MemoryStore from "../memory/ArchiveStore.ts"
import { auditing } from "../memory/Audit.ts"
import * as MemoryLedger from "../memory/BlobLedger.ts"
import * as MemoryBlobs from "../memory/Blobs.ts"
import { eventually } from "../support/process.ts"

const make = Effect.fnUntraced(function* () {
  const root = join(yield* scratch, "blobs")
  /** How many blobs each release in the background has removed. */
  const released: Array<number> = []
  const observed = Layer.effect(
    BlobSweep,
    Effect.map(BlobSweep, (sweep) =>
      BlobSweep.of({
        ...sweep,
        release: (tenant, sha256s) =>
          Effect.tap(sweep.release(tenant, sha256s), (removed) => Effect.sync(() => released.push(removed)))
      })
    )
  ).pipe(Layer.provide(BlobSweep.layer("1 hour")))
  const context = yield* Layer.build(
    Layer.fresh(
      Archives.layer.pipe(
        Layer.provideMerge(observed),
        Layer.provideMerge([
          Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(root))),
          MemoryStore.layer,
          MemoryLedger.layer,
          auditing
        ])
      )
    )
  )
  const archives = Context.get(context, Archives)
  const addArchive = Context.get(context, MemoryStore.AddArchive)
  const blobs = Context.get(context, Blobs)
  const sweep = Context.get(context, BlobSweep)
  const add = Effect.fnUntraced(function* (id: string, bytes: Uint8Array) {
    const blob = yield* blobs.write("one", cut(bytes))
    yield* addArchive(TenantId("one"), { ...blob, id: ArchiveId(id), flowlineId: "f", entries: 1 })
    return blob.sha256
  })
  const age = (sha256: string, hours: number) => {
    const time = Date.now() / 1000 - hours * 3600
    utimesSync(join(root, "one", "blobs", sha256.slice(0, 2), sha256), time, time)
  }
  return { root, archives, blobs, sweep, add, age, released }
})

describe("the bytes of archives", () => {
  it.live("go with the last archive that has them", () =>
    Effect.gen(function* () {
      const { root, archives, add, age, blobs, released } = yield* make()
      const sha256 = yield* add("x-1", noise(100))
      yield* add("x-2", noise(100))
      age(sha256, 2)
      yield* archives.remove(TenantId("one"), ArchiveId("x-1"))
      yield* Effect.promise(() => eventually("a release", () => released.length > 0))
      assert.deepStrictEqual(released, [0])
      assert.strictEqual(yield* blobs.size("one", sha256), 100)
      yield* archives.remove(TenantId("one"), ArchiveId("x-2"))
      yield* Effect.promise(() => eventually("no blob", () => filesBelow(root).length === 0))
    })
  )

  it.live("go with all archives of the tenant", () =>
    Effect.gen(function* () {
      const { root, archives, add, age, blobs } = yield* make()
      for (let seed = 1; seed <= 20; seed++) age(yield* add(`x-${seed}`, noise(100, seed)), 2)
      const other = yield* blobs.write("two", cut(noise(5)))
      yield* archives.removeAll(TenantId("one"))
      yield* Effect.promise(() => eventually("one blob", () => filesBelow(root).length === 1))
      assert.strictEqual(yield* blobs.size("two", other.sha256), 5)
    })
  )

  it.live("stay while a run may be about to refer to them", () =>
    Effect.gen(function* () {
      const { root, archives, add, age, blobs, sweep } = yield* make()
      const sha256 = yield* add("x-1", noise(100))
      age(sha256, 2)
      // Another run has stored the same bytes and has not made its archive yet.
      yield* blobs.write("one", cut(noise(100)))
      yield* archives.remove(TenantId("one"), ArchiveId("x-1"))
      assert.strictEqual(yield* sweep.sweep(TenantId("one")), 0)
      yield* add("x-2", noise(100))
      assert.isTrue(noise(100).equals(yield* joined(yield* blobs.read("one", sha256))))
      assert.strictEqual(filesBelow(root).length, 1)
    })
  )

  it.live("stay while anything else refers to them", () =>
    Effect.gen(function* () {
      const { archives, add, age, blobs, sweep } = yield* make()
      const sha256 = yield* add("x-1", noise(100))
      yield* sweep.hold((tenant, asked) =>
        Effect.succeed(tenant === "one" ? asked.filter((hash) => hash === sha256) : [])
      )
      age(sha256, 2)
      yield* archives.remove(TenantId("one"), ArchiveId("x-1"))
      assert.strictEqual(yield* sweep.sweep(TenantId("one")), 0)
      assert.strictEqual(yield* blobs.size("one", sha256), 100)
    })
  )

  it.live("are all kept when somebody cannot say what it refers to", () =>
    Effect.gen(function* () {
      const { age, blobs, sweep } = yield* make()
      const { sha256 } = yield* blobs.write("one", cut(noise(100)))
      age(sha256, 2)
      yield* sweep.hold(() => Effect.fail(new StorageUnreachable({ storage: "metadata" })))
      assert.strictEqual((yield* Effect.flip(sweep.sweep(TenantId("one")))).storage, "metadata")
      assert.strictEqual(yield* blobs.size("one", sha256), 100)
    })
  )

  it.live("of runs that never came to an archive are swept in time", () =>
    Effect.gen(function* () {
      const { root, age, blobs, sweep } = yield* make()
      const old = yield* Effect.forEach([1, 2, 3], (seed) => blobs.write("one", cut(noise(100, seed))))
      const young = yield* blobs.write("one", cut(noise(100, 4)))
      for (const blob of old) age(blob.sha256, 1.01)
      assert.strictEqual(yield* sweep.sweep(TenantId("one")), 3)
      assert.deepStrictEqual(
        (yield* Stream.runCollect(blobs.list("one"))).map((blob) => blob.sha256),
        [young.sha256]
      )
      assert.strictEqual(filesBelow(root).length, 1)
    })
  )

  it.effect(
    "are swept every quarter of an hour, also after a round that failed, and beside a tenant whose sweep fails",
    () =>
      Effect.gen(function* () {
        let rounds = 0
        yield* TestClock.setTime(Date.now() + 2 * 3_600_000)
        const names = Effect.suspend(() =>
          rounds++ === 0
            ? Effect.fail(new StorageUnreachable({ storage: "data" }))
            : Effect.succeed([TenantId("broken"), TenantId("one")])
        )
        const tenants = Layer.succeed(Tenants, Tenants.of({ exists: () => Effect.succeed(true), names }))
        const context = yield* Layer.build(
          BlobSweep.schedule().pipe(
            Layer.provideMerge(BlobSweep.layer("1 hour")),
            Layer.provideMerge([MemoryBlobs.layer, MemoryLedger.layer, auditing, tenants])
          )
        )
        const blobs = Context.get(context, Blobs)
        const holder = (tenant: TenantId) => (tenant === "broken" ? Effect.die("a defect") : Effect.succeed([]))
        yield* Context.get(context, BlobSweep).hold(holder)
        yield* blobs.write("broken", cut(noise(100)))
        const { sha256 } = yield* blobs.write("one", cut(noise(100)))
        yield* TestClock.adjust("29 minutes")
        assert.strictEqual(rounds, 1)
        assert.strictEqual(yield* blobs.size("one", sha256), 100)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(rounds, 2)
        assert.strictEqual(yield* blobs.size("one", sha256), undefined)
      })
  )
})
