import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOver, OverQuota, type Quota, type Usage } from "../../../services/blobs/Quota.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"

/** Whether a write reached a row: it returns one for each. */
export const reached = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<boolean, E, R> =>
  Effect.map(rows, ({ length }) => length > 0)

/** Those of the contents to which rows of the table refer. */
export const referenced = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: string,
  tenant: TenantId,
  sha256s: ReadonlyArray<string>
) {
  if (sha256s.length === 0) return []
  const rows = yield* sql<{ sha256: string }>`
    select distinct sha256 from ${sql(table)} where tenant = ${tenant} and ${sql.in("sha256", sha256s)}`
  return rows.map((row) => row.sha256)
})

/**
 * Checks the quota as the last step of a transaction that stores something. The transaction holds the lock on the
 * tenant's usage from its first written version on. It must not lock afterwards what another transaction may hold, so
 * names are locked first.
 */
export const checkQuota = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: TenantId, quota: Quota) {
  if (quota.bytes === undefined && quota.entries === undefined) return
  const [usage] = yield* sql<Usage>`
    select bytes::float8 as bytes, entries::float8 as entries from tenant_usage where tenant = ${tenant}`
  if (usage !== undefined && isOver(usage, quota)) return yield* new OverQuota({ usage })
})

/** Deletes names without versions. The caller removed the versions and holds the locks on the names. */
export const dropEmptyNames = (sql: SqlClient.SqlClient, tenant: TenantId, names: ReadonlyArray<string>) => sql`
  delete from stored_names n where n.tenant = ${tenant} and n.name = any(${names}::text[])
    and not exists (select 1 from stored_versions v where v.tenant = n.tenant and v.name = n.name)`
