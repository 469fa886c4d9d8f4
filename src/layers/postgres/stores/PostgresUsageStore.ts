import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { type StoredUsage, UsageStore } from "../../../services/limits/UsageStore.ts"

/** The counters that triggers keep, and counts by indices. */
export const layer = Layer.effect(
  UsageStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return UsageStore.of({
      of: Effect.fn("UsageStore.of")(function* (tenant) {
        const [row] = yield* sql<StoredUsage>`
          select
            (select count(*) from executions where tenant = ${tenant} and state = 'PENDING')::float8 as "waitingExecutions",
            (select count(*) from channel_jobs where tenant = ${tenant} and desired
              and status not in ('FAILED', 'FINISHED'))::float8 as jobs,
            coalesce(archives.number, 0)::float8 as archives, coalesce(archives.bytes, 0)::float8 as "archiveBytes",
            coalesce(stored.entries, 0)::float8 as "storedVersions", coalesce(stored.bytes, 0)::float8 as "storedBytes"
          from (select 1) as one
          left join history_usage archives on archives.tenant = ${tenant} and archives.kind = 'archives'
          left join tenant_usage stored on stored.tenant = ${tenant}`
        return row!
      }, unreachable)
    })
  })
)
