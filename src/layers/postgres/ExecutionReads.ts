import type { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ExecutionDetail } from "../../services/executions/Execution.ts"
import type { ExecutionKey, OutputState, StoredLine } from "../../services/executions/ExecutionStore.ts"
import type { ListRow, ListSpan } from "../../services/shared/Paging.ts"
import { unreachable, unreachableStream } from "./Unreachable.ts"

const decodeDetail = Schema.decodeUnknownEffect(Schema.fromJsonString(ExecutionDetail))

/** The reading half of the execution store. Answers are made as JSON text in the database: one value per entry. */
export const executionReads = (sql: SqlClient.SqlClient, wide: PgClient.PgClient) => {
  const duration = (client: SqlClient.SqlClient) => client`
    coalesce((extract(epoch from coalesce(ended_at, greatest(now(), started_at)) - started_at) * 1000)::bigint, 0)`
  const summary = (client: SqlClient.SqlClient) => client`
    'id', id, 'jobId', job_id, 'timestamp', flow_iso(coalesce(event_at, created_at)), 'duration', ${duration(client)},
    'tenant', tenant, 'event', event`
  const event = (client: SqlClient.SqlClient) => client`
    json_strip_nulls(json_build_object('timestamp', flow_iso(at), 'tenant', tenant, 'event', event, 'seq', seq,
      'detail', detail))`

  return {
    detail: Effect.fn("ExecutionStore.detail")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<{ json: string }>`
        select (json_strip_nulls(json_build_object(${summary(sql)}))::jsonb || jsonb_build_object(
          'flowlineId', flowline_id, 'version', version, 'runtime', runtime, 'state', state,
          'startedAt', flow_iso(started_at), 'endedAt', flow_iso(ended_at), 'error', error,
          'events', coalesce((select json_agg(${event(sql)} order by seq desc) from execution_events
            where tenant = e.tenant and execution_id = e.id), '[]'::json),
          'archive', (select id from archives where tenant = e.tenant and id = e.id),
          'nodes', nodes::jsonb))::text as json
        from executions e where tenant = ${tenant} and id = ${id}`
      return row === undefined ? undefined : yield* Effect.orDie(decodeDetail(row.json))
    }, unreachable),

    state: Effect.fn("ExecutionStore.state")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<OutputState>`
        select state, truncated from executions where tenant = ${tenant} and id = ${id}`
      return row
    }, unreachable),

    list: (tenant: string, flowlineId: string | undefined, { after, limit }: ListSpan) =>
      unreachableStream(
        wide<ListRow>`
          select ordinal::text as key, json_strip_nulls(json_build_object(${summary(wide)}))::text as json
          from executions
          where tenant = ${tenant} and ${flowlineId === undefined ? wide`true` : wide`flowline_id = ${flowlineId}`}
            and ordinal > ${after ?? "0"}::bigint
          order by ordinal limit ${limit ?? null}::bigint`.stream
      ),

    events: ({ tenant, id }: ExecutionKey, { after, limit }: ListSpan) =>
      unreachableStream(
        wide<ListRow>`
          select seq::text as key, ${event(wide)}::text as json
          from execution_events
          where tenant = ${tenant} and execution_id = ${id} and (${after ?? null}::bigint is null or seq < ${after ?? null}::bigint)
          order by seq desc limit ${limit ?? null}::bigint`.stream
      ),

    lines: ({ tenant, id }: ExecutionKey, after: number, limit?: number) =>
      unreachableStream(
        wide<StoredLine>`
          select seq::integer as seq, text, json_build_object('seq', seq, 'timestamp', flow_iso(at),
            'component', component, 'text', text)::text as json
          from execution_output
          where tenant = ${tenant} and execution_id = ${id} and seq > ${after}
          order by seq limit ${limit ?? null}::bigint`.stream
      )
  }
}
