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
        select ${one}, 'f-' || n, 'f', 'abc', 2, 1 from generate_series(1, ${many}::integer) n`
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: many, bytes: 2 * many }])
      assert.lengthOf(yield* archives.removeAll(one), many)
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: 0, bytes: 0 }])
    })
  )

  it.effect("remove and count versions at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const registry = yield* RegistryStore
      const usage = sql`select bytes::integer as bytes, entries::integer as entries from tenant_usage`
      yield* sql`insert into registry_paths (tenant, path, version) values (${one}, 'a', ${many})`
      // Versions are stored one by one, which would take long here.
      yield* sql`alter table registry_versions disable trigger count_usage`
      yield* sql`
        insert into registry_versions (tenant, path, version, sha256, size)
        select ${one}, 'a', n, 'abc', 2 from generate_series(1, ${many}::integer) n`
      yield* sql`alter table registry_versions enable trigger count_usage`
      yield* sql`insert into tenant_usage (tenant, bytes, entries) values (${one}, ${2 * many + 3}, ${many + 1})`
      assert.deepStrictEqual(yield* registry.remove(one, "a"), ["abc"])
      assert.deepStrictEqual(yield* usage, [{ bytes: 3, entries: 1 }])
    })
  )
})
