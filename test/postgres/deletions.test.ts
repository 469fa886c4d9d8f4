import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Archives from "../../src/layers/postgres/stores/PostgresArchiveStore.ts"
import * as Registry from "../../src/layers/postgres/stores/PostgresRegistryStore.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { RegistryStore } from "../../src/services/registry/RegistryStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

/** So many take 0.2 s. With a count for each of them they took longer than a statement may take. */
const many = 20_000
const one = TenantId("one")

const stores = Layer.provideMerge(Layer.merge(Archives.layer, Registry.layer), TestPostgres)

layer(stores)("deletions of many rows", (it) => {
  it.effect("remove and count archives at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const archives = yield* ArchiveStore
      const usage = sql`select kind, number::integer as number, bytes::integer as bytes from history_usage`
      yield* sql`
        insert into archives (tenant, id, flowline_id, sha256, size, entries)
        select ${one}, 'f-' || n, 'f', md5((n / 2)::text), 2, 1 from generate_series(1, ${many}::integer) n`
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: many, bytes: 2 * many }])
      assert.strictEqual(yield* archives.removeAll(one), many)
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: 0, bytes: 0 }])
      // With them, so that a kill right after it does not leave their blobs for ever.
      const noted = yield* sql`select deleted, count(*)::integer as number from unused_blobs group by deleted`
      assert.deepStrictEqual(noted, [{ deleted: true, number: many / 2 + 1 }])
    })
  )

  it.effect("remove and count versions of a flowline at once, and count those of the flowline that stays", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const usage = sql`select bytes::integer as bytes, entries::integer as entries from tenant_usage where tenant = 'two'`
      yield* sql`insert into flowlines (tenant, id, version, saved) values ('two', 'a', ${many + 1}, true)`
      yield* sql`
        insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
        values ('two', 'a', ${many + 1}, '[]', '', now())`
      assert.deepStrictEqual(yield* usage, [{ bytes: 2, entries: 1 }])
      // Versions are saved one by one, which would take long here.
      yield* sql`alter table flowline_versions disable trigger count_usage`
      yield* sql`
        insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
        select 'two', 'a', n, '[]', '', now() from generate_series(1, ${many}::integer) n`
      yield* sql`alter table flowline_versions enable trigger count_usage`
      yield* sql`update tenant_usage set bytes = bytes + ${2 * many}, entries = entries + ${many} where tenant = 'two'`
      yield* sql`delete from flowline_versions where tenant = 'two' and version <= ${many}`
      assert.deepStrictEqual(yield* usage, [{ bytes: 2, entries: 1 }])
    })
  )

  it.effect("remove and count versions at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const registry = yield* RegistryStore
      const usage = sql`select bytes::integer as bytes, entries::integer as entries from tenant_usage where tenant = ${one}`
      yield* sql`insert into registry_paths (tenant, path, version) values (${one}, 'a', ${many})`
      yield* sql`
        insert into registry_versions (tenant, path, version, sha256, size)
        select ${one}, 'a', n, 'abc', 2 from generate_series(1, ${many}::integer) n`
      assert.deepStrictEqual(yield* usage, [{ bytes: 2 * many, entries: many }])
      assert.deepStrictEqual(yield* registry.remove(one, "a"), ["abc"])
      assert.deepStrictEqual(yield* usage, [{ bytes: 0, entries: 0 }])
    })
  )
})
