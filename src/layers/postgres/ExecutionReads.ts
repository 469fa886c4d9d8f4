import type { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { ExecutionStatus } from "../../services/executions/Execution.ts"
import type { ExecutionKey, NewExecution, OutputState } from "../../services/executions/ExecutionStore.ts"
import type { FlowlineId } from "../../services/shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../../services/shared/Listing.ts"
import type { LinePage } from "../../services/shared/OutputLines.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { filled, linePages, listPages, selectLines } from "./Pages.ts"

interface StatusRow {
  readonly summary: string
  readonly events: string
  readonly nodes: string
  readonly trigger: string | null
  readonly [column: string]: unknown
}

const decodeStatus = Schema.decodeUnknownEffect(ExecutionStatus)

const member = new Map([["job_id", "jobId"]])

/**
 * The read operations of the execution store. The database builds the JSON text of each entry, which saves parsing and
 * serialising it here.
 */
export const executionReads = (sql: SqlClient.SqlClient, wide: PgClient.PgClient) => {
  const duration = (client: SqlClient.SqlClient) => client`
    coalesce((extract(epoch from coalesce(ended_at, greatest(now(), started_at)) - started_at) * 1000)::bigint, 0)`
  // Concatenated because `json_build_object` writes blanks around its colons.
  const text = (client: SqlClient.SqlClient, name: string) =>
    client.literal(`coalesce(',"${member.get(name) ?? name}":' || to_json(${name}), '')`)
  const summary = (client: SqlClient.SqlClient) => client`
    '"id":' || to_json(id) || ${text(client, "job_id")} || ',"timestamp":"' || flow_iso(coalesce(event_at, created_at))
    || '","duration":' || ${duration(client)} || ',"tenant":' || to_json(tenant) || ${text(client, "event")}`
  const event = (client: SqlClient.SqlClient) => client`
    '{"timestamp":"' || flow_iso(at) || '","tenant":' || to_json(tenant) || ',"event":' || to_json(event)
    || ',"seq":' || seq || ${text(client, "detail")} || '}'`

  const lines = ({ tenant, id }: ExecutionKey, after: number, page: LinePage) =>
    selectLines(wide, wide`execution_output where tenant = ${tenant} and execution_id = ${id} and seq > ${after}`, page)

  return {
    detail: Effect.fn("ExecutionStore.detail")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<StatusRow>`
        select '{' || ${summary(sql)} || '}' as summary, flowline_id as "flowlineId", version, runtime, state,
          flow_iso(started_at) as "startedAt", flow_iso(ended_at) as "endedAt", error, nodes, trigger,
          coalesce((select '[' || string_agg(${event(sql)}, ',' order by seq desc) || ']' from execution_events
            where tenant = e.tenant and execution_id = e.id), '[]') as events
        from executions e where tenant = ${tenant} and id = ${id}`
      if (row === undefined) return undefined
      const { summary: own, events, nodes, trigger, ...rest } = row
      return yield* Effect.orDie(
        decodeStatus({
          ...JSON.parse(own),
          ...rest,
          ...(trigger === null ? {} : { trigger: JSON.parse(trigger) }),
          events: JSON.parse(events),
          nodes: JSON.parse(nodes)
        })
      )
    }, unreachable),

    state: Effect.fn("ExecutionStore.state")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<OutputState>`
        select state, truncated from executions where tenant = ${tenant} and id = ${id}`
      return row
    }, unreachable),

    given: Effect.fn("ExecutionStore.given")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<NewExecution & { readonly trigger: string | null; readonly body: string | null }>`
        select e.tenant, flowline_id as "flowlineId", e.version, runtime, v.dag, trigger, body
        from executions e join flowline_versions v
          on v.tenant = e.tenant and v.id = e.flowline_id and v.version = e.version
        where e.tenant = ${tenant} and e.id = ${id}`
      if (row === undefined) return undefined
      const { trigger, body, ...rest } = row
      return { ...rest, ...(trigger === null ? {} : { trigger }), ...(body === null ? {} : { body }) }
    }, unreachable),

    list: (tenant: TenantId, flowlineId: FlowlineId | undefined, span: ListSpan) =>
      listPages(
        span,
        (after, rows) => wide<ListRow>`
          select ordinal::text as key, '{' || ${summary(wide)} || '}' as json
          from executions
          where tenant = ${tenant} and ${flowlineId === undefined ? wide`true` : wide`flowline_id = ${flowlineId}`}
            and ordinal > ${after ?? "0"}::bigint
          order by ordinal limit ${rows}::bigint`
      ),

    events: ({ tenant, id }: ExecutionKey, span: ListSpan) =>
      listPages(
        span,
        (after, rows) => wide<ListRow>`
          select seq::text as key, ${event(wide)} as json
          from execution_events
          where tenant = ${tenant} and execution_id = ${id} and (${after ?? null}::bigint is null or seq < ${after ?? null}::bigint)
          order by seq desc limit ${rows}::bigint`
      ),

    lines: (key: ExecutionKey, after: number) => linePages(after, undefined, (after, page) => lines(key, after, page)),

    linesAfter: (key: ExecutionKey, after: number, page: LinePage) =>
      unreachable(Effect.map(lines(key, after, page), filled))
  }
}
