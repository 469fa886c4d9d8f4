import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Archives from "../../src/layers/postgres/PostgresArchiveStore.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

/** So many take 0.2 s. With a count for each of them they took longer than a statement may take. */
const many = 20_000

layer(Layer.provideMerge(Archives.layer, TestPostgres))("many archives", (it) => {
  it.effect("are removed by one statement, and counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ArchiveStore
      const usage = sql`select kind, number::integer as number, bytes::integer as bytes from history_usage`
      yield* sql`
        insert into archives (tenant, id, flowline_id, sha256, size, entries)
        select 'one', 'f-' || n, 'f', 'abc', 2, 1 from generate_series(1, ${many}::integer) n`
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: many, bytes: 2 * many }])
      assert.lengthOf(yield* store.removeAll(TenantId("one")), many)
      assert.deepStrictEqual(yield* usage, [{ kind: "archives", number: 0, bytes: 0 }])
    })
  )
})
