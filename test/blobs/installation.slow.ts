import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import * as BoundBlobs from "../../src/layers/blobs/BoundBlobs.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import * as Ledger from "../../src/layers/postgres/stores/PostgresBlobLedger.ts"
import { BlobLedger } from "../../src/services/blobs/BlobLedger.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { freshDatabase } from "../support/postgres.ts"
import { site } from "../support/process-gateway.ts"
import { cut, noise, sha256 } from "./bytes.ts"
import { scratch } from "./folder.ts"

const bytes = noise(10)
const hash = sha256(bytes)

/** A database; `at` starts on it with a folder, as a gateway does. */
const database = Effect.gen(function* () {
  const sql = yield* Layer.build(Layer.fresh(Layer.orDie(layerFromUrl(yield* freshDatabase))))
  const at = (root: string, adopt?: string) =>
    Effect.map(
      Layer.build(
        Layer.fresh(
          BoundBlobs.layer(adopt).pipe(
            Layer.provide(Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(root)))),
            Layer.provideMerge(Ledger.layer),
            Layer.provide(Layer.succeedContext(sql))
          )
        )
      ),
      (context) => ({ blobs: Context.get(context, Blobs), ledger: Context.get(context, BlobLedger) })
    )
  const refused = (root: string, adopt?: string) => Effect.map(Effect.flip(at(root, adopt)), ({ message }) => message)
  const refer = Context.get(sql, SqlClient.SqlClient)`
    insert into archives (tenant, id, flowline_id, sha256, size, entries) values ('one', 'x', 'f', ${hash}, 10, 1)`
  return { at, refused, refer }
})

const root = Effect.map(scratch, (folder) => join(folder, "blobs"))

/** The id that a refusal offers to adopt. */
const named = (message: string): string => /FLOW_BLOBS_ADOPT=(\S+)$/.exec(message)?.[1] ?? ""

/** A folder with a blob, as a version without ids left it, or another installation. */
const used = Effect.gen(function* () {
  const folder = yield* root
  const first = yield* database
  const { blobs } = yield* first.at(folder)
  yield* blobs.write("one", cut(bytes))
  yield* first.refer
  return { folder, first }
})

describe("a database and its blobs", () => {
  it.live("are bound at their first start, and by a database that knows blobs of a folder without an id", () =>
    Effect.gen(function* () {
      const { folder, first } = yield* used
      yield* first.at(folder)
      rmSync(join(folder, ".installation"))
      yield* first.at(folder)
      const other = yield* database
      assert.include(yield* other.refused(folder), "the blobs belong to installation")
    })
  )

  it.live("of two installations are refused, until the blobs are adopted", () =>
    Effect.gen(function* () {
      const { folder, first } = yield* used
      const other = yield* database
      const message = yield* other.refused(folder)
      assert.strictEqual(yield* other.refused(folder, "another-id"), message)
      const { blobs } = yield* other.at(folder, named(message))
      assert.strictEqual(yield* blobs.size("one", hash), 10)
      yield* other.at(folder)
      assert.include(yield* first.refused(folder), "the blobs belong to installation")
    })
  )

  it.live("are refused when the one knows nothing of the other, also without ids", () =>
    Effect.gen(function* () {
      const { folder, first } = yield* used
      rmSync(join(folder, ".installation"))
      const empty = yield* database
      assert.include(yield* empty.refused(folder), "the database refers to none")
      const message = yield* first.refused(yield* root)
      assert.include(message, "are not in this storage")
      yield* first.at(yield* root, named(message))
      yield* first.at(folder)
    })
  )

  it.live("are compared before the first use when the storage is away at the start, and before removals", () =>
    Effect.gen(function* () {
      const { folder, first } = yield* used
      const { folder: foreign } = yield* used
      const away = `${folder}-away`
      renameSync(folder, away)
      writeFileSync(folder, "no folder")
      const { blobs } = yield* first.at(folder)
      yield* Effect.flip(blobs.size("one", hash))
      rmSync(folder)
      renameSync(foreign, folder)
      yield* Effect.flip(blobs.size("one", hash))
      yield* Effect.flip(blobs.remove("one", hash, Number.POSITIVE_INFINITY))
      yield* Effect.flip(blobs.health)
      assert.isTrue(existsSync(join(folder, "one", "blobs", hash.slice(0, 2), hash)))
      renameSync(folder, foreign)
      renameSync(away, folder)
      assert.strictEqual(yield* blobs.size("one", hash), 10)
      assert.isTrue(yield* blobs.remove("one", hash, Number.POSITIVE_INFINITY))
    })
  )

  it.live("keep what is known of unused and damaged blobs, and one gateway has the check", () =>
    Effect.gen(function* () {
      const { ledger } = yield* (yield* database).at(yield* root)
      const tenant = TenantId("one")
      const unused = { sha256: hash, since: 1_700_000_000_123, deleted: true }
      yield* ledger.noteUnused(tenant, [{ ...unused, deleted: false }])
      yield* ledger.noteUnused(tenant, [unused])
      assert.deepStrictEqual(yield* ledger.unused(tenant), [unused])
      assert.deepStrictEqual(yield* ledger.unused(TenantId("two")), [])
      yield* ledger.forgetUnused(tenant, [hash])
      assert.deepStrictEqual(yield* ledger.unused(tenant), [])
      yield* ledger.noteDamaged({ tenant, sha256: hash })
      yield* ledger.noteDamaged({ tenant, sha256: hash })
      assert.deepStrictEqual(yield* ledger.damaged, [{ tenant, sha256: hash }])
      yield* ledger.forgetDamaged({ tenant, sha256: hash })
      assert.deepStrictEqual(yield* ledger.damaged, [])
      const taken = yield* ledger.takeCheck("a", 60)
      assert.deepInclude(taken, { tenant: "", sha256: "", roundEnded: false })
      assert.isUndefined(yield* ledger.takeCheck("b", 60))
      const place = { tenant: "one", sha256: hash, roundBeganAt: 1_700_000_000_123, roundEnded: true }
      yield* ledger.moveCheck("b", { ...place, tenant: "never" })
      yield* ledger.moveCheck("a", place)
      assert.deepStrictEqual(yield* ledger.takeCheck("a", 0), place)
      assert.deepStrictEqual(yield* ledger.takeCheck("b", 60), place)
    })
  )
})

describe("a gateway", () => {
  it.live("does not start on the blobs of another database", () =>
    Effect.gen(function* () {
      const { start, spawn } = yield* site()
      const first = yield* Effect.promise(() => start())
      yield* Effect.promise(() => first.kill("SIGTERM"))
      const second = spawn({ FLOW_DATABASE_URL: Redacted.value(yield* freshDatabase) })
      assert.strictEqual((yield* Effect.promise(() => second.exit)).code, 1)
      assert.match(
        second.stderr(),
        /^flow-gateway cannot start: FLOW_BLOBS: the blobs belong to .* FLOW_BLOBS_ADOPT=\S+\n$/m
      )
    })
  )
})
