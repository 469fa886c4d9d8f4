import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { WideSql } from "../../src/layers/postgres/Postgres.ts"
import * as Archives from "../../src/layers/postgres/stores/PostgresArchiveStore.ts"
import { noteUnused } from "../../src/layers/postgres/stores/PostgresBlobLedger.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const tenant = TenantId("one")
const sha256 = "ab".repeat(32)
const stores = Layer.provideMerge(Archives.layer, TestPostgres)

layer(stores, { excludeTestServices: true })("deletions of the same content at the same time", (it) => {
  it.effect("do not lock each other out: the counts are changed first, then the list of unused blobs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* WideSql
      const archives = yield* ArchiveStore
      const add = (client: SqlClient.SqlClient, id: string) => client`
        insert into archives (tenant, id, flowline_id, sha256, size, entries) values (${tenant}, ${id}, 'f', ${sha256}, 2, 1)`
      const waiting = sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* add(sql, "a-1")
      const all = yield* other.withTransaction(
        Effect.gen(function* () {
          // The other session does not see this archive, so it does not wait for its row.
          yield* add(other, "a-2")
          yield* other`delete from archives where tenant = ${tenant} and id = 'a-2'`
          const all = yield* Effect.forkDetach(archives.removeAll(tenant))
          yield* Effect.repeat(waiting, {
            until: (sessions) => sessions.length > 0,
            schedule: Schedule.spaced("10 millis")
          })
          yield* noteUnused(other, tenant, [{ sha256, since: 0, deleted: true }])
          return all
        })
      )
      assert.strictEqual(yield* Fiber.join(all), 1)
    })
  )
})
