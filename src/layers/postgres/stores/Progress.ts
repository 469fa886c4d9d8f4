import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { type FileClaim, PositionScope, type Progress } from "../../../services/runs/PositionStore.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { reached } from "../statements/StoredRows.ts"

interface ClaimRow {
  readonly path: string
  readonly mine: boolean
  readonly place: string | null
  readonly holder: string | null
}

/**
 * Statements on the tables `positions` and `appended_files`. `fence` selects and locks the row of the execution or job
 * while the attempt is the current one, and selects nothing later.
 */
export const progressOf = (sql: SqlClient.SqlClient) => {
  /** Whether the scope of `f` has a run, or will get one without a further request. */
  const isUnderWay = sql`(
    exists (
      select 1 from executions e where e.tenant = f.tenant and e.id = f.scope and e.state in ('PENDING', 'RUNNING')
    ) or exists (
      select 1 from channel_jobs j
      where j.tenant = f.tenant and 'channels/' || j.channel || '/' || j.cluster || '/' || j.job = f.scope
        and case when j.desired then j.status not in ('FAILED', 'FINISHED') else j.status <> 'STOPPED' end
    )
  )`
  /**
   * Whether the scope of `f` may go on at saved positions later: then the lines behind its place are written again, and
   * have to go. What an ended execution has appended stays.
   */
  const goesOn = sql`(
    f.scope like 'channels/%'
    and exists (select 1 from positions p where p.tenant = f.tenant and p.scope = f.scope)
  )`

  const save = (fence: Fragment, tenant: TenantId, scope: PositionScope, { positions, files }: Progress) =>
    reached(
      sql`
        with fence as (${fence}), saved as (
          insert into positions (tenant, scope, component, value)
          select ${tenant}, ${scope}, p.key, p.value from fence, jsonb_each(${JSON.stringify(positions)}::text::jsonb) p
          on conflict (tenant, scope, component) do update set value = excluded.value
        ), placed as (
          update appended_files f set place = p.value
          from fence, jsonb_each(${JSON.stringify(files)}::text::jsonb) p
          where f.tenant = ${tenant} and f.scope = ${scope} and f.path = p.key
        )
        select 1 from fence`
    )

  const claimFiles = Effect.fnUntraced(function* (
    fence: Fragment,
    tenant: TenantId,
    scope: PositionScope,
    paths: ReadonlyArray<string>
  ) {
    // Rows are locked in the order of the paths; otherwise two concurrent claims could deadlock.
    const rows = yield* sql<ClaimRow>`
      with fence as (${fence}), wanted as (
        select w.path from fence, jsonb_array_elements_text(${JSON.stringify(paths)}::text::jsonb) as w(path)
        order by w.path
      ), mine as (
        insert into appended_files as f (tenant, path, scope) select ${tenant}, path, ${scope} from wanted order by path
        on conflict (tenant, path) do update set scope = excluded.scope,
          place = case when f.scope = excluded.scope or ${goesOn} then f.place end
        where f.scope = excluded.scope or not ${isUnderWay}
        returning f.path, f.place
      )
      select w.path, m.path is not null as mine, m.place::text as place, f.scope as holder
      from wanted w left join mine m on m.path = w.path
        left join appended_files f on f.tenant = ${tenant} and f.path = w.path`
    if (rows.length === 0) return undefined
    return rows.map(({ path, mine, place, holder }): FileClaim => {
      if (mine) return { path, place: place === null ? null : JSON.parse(place) }
      return { path, holder: PositionScope(holder ?? "another run") }
    })
  })

  return { save, claimFiles }
}
