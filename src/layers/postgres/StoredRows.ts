import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOver, type Quota, type Usage } from "../../services/blobs/Quota.ts"

/** Undoes the transaction that it fails: the tenant would have more stored than it may. */
export class OverQuota extends Data.TaggedError("OverQuota")<{ readonly usage: Usage }> {}

/**
 * The last step of a transaction that stored something. The row of the tenant's usage is locked from the first version
 * that was written on, so nothing that another transaction may hold is to be locked after that: names come first.
 */
export const checkQuota = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, tenant: string, quota: Quota) {
  if (quota.bytes === undefined && quota.entries === undefined) return
  const [usage] = yield* sql<Usage>`
    select bytes::float8 as bytes, entries::float8 as entries from tenant_usage where tenant = ${tenant}`
  if (usage !== undefined && isOver(usage, quota)) return yield* new OverQuota({ usage })
})

/** Adds the next version of a stored resource that comes with an artifact, inside a transaction. */
export const addCompanion = (
  sql: SqlClient.SqlClient,
  tenant: string,
  version: { readonly name: string; readonly sha256: string; readonly size: number; readonly origin: string }
) => sql`
  with counted as (
    insert into stored_names as known (tenant, name, last_version) values (${tenant}, ${version.name}, 1)
    on conflict (tenant, name) do update set last_version = known.last_version + 1
    returning last_version
  )
  insert into stored_versions (tenant, name, version, sha256, size, origin)
  select ${tenant}, ${version.name}, last_version, ${version.sha256}, ${version.size}::bigint, ${version.origin}
  from counted`

/** Removes the names that have no versions any more. Their rows are locked by whoever removed the versions. */
export const dropEmptyNames = (sql: SqlClient.SqlClient, tenant: string, names: ReadonlyArray<string>) => sql`
  delete from stored_names n where n.tenant = ${tenant} and n.name = any(${names}::text[])
    and not exists (select 1 from stored_versions v where v.tenant = n.tenant and v.name = n.name)`
