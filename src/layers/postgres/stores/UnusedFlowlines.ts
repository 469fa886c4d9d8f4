import type { SqlClient } from "effect/sql"

/** The execution of a flowline that is not saved may still be created for so long. */
export const grace = "1 hour"

/** Deletes those of the flowlines that are not saved and have no execution. */
export const removeUnused = (sql: SqlClient.SqlClient, tenant: string, ids: ReadonlyArray<string>) => sql<{
  readonly id: string
}>`
  delete from flowlines f
  where tenant = ${tenant} and id = any(${ids}::text[]) and not saved
    and unsaved_at < clock_timestamp() - ${grace}::interval and not exists (
      select 1 from executions e where e.tenant = f.tenant and e.flowline_id = f.id)
  returning id`
