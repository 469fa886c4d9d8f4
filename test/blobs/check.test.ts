import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import * as BlobCheck from "../../src/services/blobs/BlobCheck.ts"
import { BlobLedger } from "../../src/services/blobs/BlobLedger.ts"
import { TenantId, Tenants } from "../../src/services/shared/Tenant.ts"
import * as MemoryLedger from "../memory/BlobLedger.ts"
import { ask, form, tenant as mytenant } from "../resources/support.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { cut, joined, noise, sha256 } from "./bytes.ts"
import { scratch } from "./folder.ts"

const tenants = [TenantId("one"), TenantId("two")]

const flip = (root: string, tenant: string, sha256: string) => {
  const path = join(root, tenant, "blobs", sha256.slice(0, 2), sha256)
  const content = readFileSync(path)
  content[content.length >> 1]! ^= 1
  writeFileSync(path, content)
}

/** Blobs of two tenants, and a gateway that checks them at a rate. */
const make = Effect.gen(function* () {
  const root = join(yield* scratch, "blobs")
  const stores = yield* Layer.build(
    Layer.mergeAll(
      MemoryLedger.layer,
      Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(root))),
      Layer.succeed(Tenants, Tenants.of({ exists: () => Effect.succeed(true), names: Effect.succeed(tenants) }))
    )
  )
  const blobs = Context.get(stores, Blobs)
  const ledger = Context.get(stores, BlobLedger)
  const written = yield* Effect.forEach([1, 2, 3, 4], (seed) =>
    Effect.map(blobs.write(tenants[seed % 2]!, cut(noise(1000, seed))), ({ sha256 }) => ({
      tenant: tenants[seed % 2]!,
      sha256
    }))
  )
  const start = (bytesPerSecond: number) =>
    Layer.build(
      Layer.fresh(BlobCheck.layer({ bytesPerSecond, every: "14 days", pause: "5 millis" })).pipe(
        Layer.provide(Layer.succeedContext(stores))
      )
    )
  return { root, blobs, ledger, written, start }
})

describe("the check of all blobs", () => {
  it.live("finds what is damaged, and forgets it when it was stored again", () =>
    Effect.gen(function* () {
      const { root, blobs, ledger, written, start } = yield* make
      const [bad] = written
      flip(root, bad!.tenant, bad!.sha256)
      yield* start(1e9)
      assert.deepStrictEqual(yield* until(ledger.damaged, (all) => all.length > 0), [bad!])
      yield* until(ledger.takeCheck("a", 1), (place) => place?.roundEnded === true)
      yield* blobs.write(bad!.tenant, cut(noise(1000, 1)))
      // Like the next gateway, which first checks the blobs that are known to be damaged.
      yield* start(1e9)
      yield* until(ledger.damaged, (all) => all.length === 0)
    })
  )

  it.live("goes on where it was, and leaves what it has read in this round", () =>
    Effect.gen(function* () {
      const { root, ledger, written, start } = yield* make
      const sorted = [...written].sort((one, other) =>
        `${one.tenant}/${one.sha256}` < `${other.tenant}/${other.sha256}` ? -1 : 1
      )
      for (const { tenant, sha256 } of sorted) flip(root, tenant, sha256)
      const round = { roundBeganAt: Date.now(), roundEnded: false }
      yield* ledger.moveCheck("a", { ...sorted[1]!, ...round })
      yield* start(1e9)
      yield* until(ledger.takeCheck("a", 1), (place) => place?.roundEnded === true)
      assert.sameDeepMembers([...(yield* ledger.damaged)], sorted.slice(2))
    })
  )

  it.live("looks at once at what a reader has found to be damaged, also without a rate", () =>
    Effect.gen(function* () {
      const { root, blobs, ledger, written, start } = yield* make
      yield* start(0)
      const bad = written[2]!
      flip(root, bad.tenant, bad.sha256)
      yield* Effect.flip(Effect.flatMap(blobs.read(bad.tenant, bad.sha256), joined))
      assert.deepStrictEqual(yield* until(ledger.damaged, (all) => all.length > 0), [bad])
    })
  )
})

layer(gateway(), { excludeTestServices: true })("a gateway", (it) => {
  it.effect("breaks off the download of a damaged blob, and shows it in its readiness", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const ledger = yield* BlobLedger
      const text = "flow".repeat(500_000)
      const body = form({ file: { bytes: text }, path: "r" })
      expect((yield* ask(`/v1/${mytenant}/registry`, { method: "POST", body })).status).toBeLessThan(300)
      const download = Effect.flatMap(raw(`/v1/${mytenant}/registry/download/r`), (response) =>
        Effect.promise(() =>
          response.text().then(
            (whole) => (whole === text ? "whole" : "wrong"),
            () => "broken off"
          )
        )
      )
      expect(yield* download).toBe("whole")
      const { dependencies } = (yield* ask("/health/ready")).json as { dependencies: object }
      const hash = sha256(Buffer.from(text))
      flip(join(settings.data, "blobs"), mytenant, hash)
      expect(yield* download).toBe("broken off")
      yield* ledger.noteDamaged({ tenant: TenantId(mytenant), sha256: hash })
      expect(yield* ask("/health/ready")).toMatchObject({
        status: 200,
        json: { status: "ready", dependencies, defects: { damagedBlobs: 1 } }
      })
      yield* ledger.forgetDamaged({ tenant: TenantId(mytenant), sha256: hash })
      // The isolation of runs is reported as soon as it is known.
      const { isolation: _, ...told } = (yield* ask("/health/ready")).json as Record<string, unknown>
      expect(told).toEqual({ status: "ready", dependencies })
    })
  )
})
