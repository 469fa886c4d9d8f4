import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOver, OverQuota, type Quota, type Usage } from "../../services/blobs/Quota.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"

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
