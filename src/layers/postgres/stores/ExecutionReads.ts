import type { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import type { KeptValues } from "../../../protocol/Parameters.ts"
import { ExecutionStatus } from "../../../services/executions/Execution.ts"
import {
  type ExecutionFilter,
  type ExecutionKey,
  isByTime,
  type NewExecution,
  type OutputState
} from "../../../services/executions/ExecutionStore.ts"
import type { ListRow, ListSpan } from "../../../services/shared/reads/Listing.ts"
import type { LinePage } from "../../../services/shared/reads/OutputLines.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { filled, linePages, listPages, selectLines } from "../statements/Pages.ts"
import { isoTime, timeOf } from "../statements/SqlText.ts"

interface StatusRow {
  readonly summary: string
  readonly events: string
  readonly nodes: string
  readonly trigger: string | null
  readonly [column: string]: unknown
}

/** The columns of the values that an execution keeps, as JSON texts. */
export interface KeptRow {
  readonly parameters: string | null
  readonly variables: string | null
  readonly environment: string | null
}

/** The values of a row; undefined when the execution has none. */
export const keptOf = ({ parameters, variables, environment }: KeptRow): KeptValues | undefined =>
  parameters === null
    ? undefined
    : {
        parameters: JSON.parse(parameters),
        variables: JSON.parse(variables ?? "{}"),
        ...(environment === null ? {} : { environment })
      }

const decodeStatus = Schema.decodeUnknownEffect(ExecutionStatus)

const member = new Map([["job_id", "jobId"]])

/** Maximum size of the parameters in a list, in bytes. */
const listedBytes = 2048

/**
 * A page of executions. What the filter leaves free is not mentioned, and each of what it names is one range of an index,
 * so that a page reads about as many rows as it has.
 */
export const selectExecutions = (
  sql: SqlClient.SqlClient,
  json: Fragment,
  tenant: TenantId,
  filter: ExecutionFilter,
  after: string | undefined,
  rows: number
) => {
  const { flowlineId, state, outcome, from, to, order } = filter
  const isNewest = order === "newest"
  const behindOf = sql.literal(isNewest ? "<" : ">")
  const direction = sql.literal(isNewest ? "desc" : "asc")
  const at = (millis: number) => sql`${timeOf(sql, millis)}::timestamptz(3)`
  const conditions = [
    sql`tenant = ${tenant}`,
    ...(flowlineId === undefined ? [] : [sql`flowline_id = ${flowlineId}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(from === undefined ? [] : [sql`created_at >= ${at(from)}`]),
    ...(to === undefined ? [] : [sql`created_at < ${at(to)}`])
  ]
  if (!isByTime(filter)) {
    return sql<ListRow>`
      select ordinal::text as key, ${json} as json from executions
      where ${sql.and([...conditions, ...(after === undefined ? [] : [sql`ordinal ${behindOf} ${after}::bigint`])])}
      order by ordinal ${direction} limit ${rows}::bigint`
  }
  const [millis = "0", ordinal = "0"] = (after ?? "").split("-")
  const behind =
    after === undefined ? [] : [sql`(created_at, ordinal) ${behindOf} (${at(Number(millis))}, ${ordinal}::bigint)`]
  return sql<ListRow>`
    select (extract(epoch from created_at) * 1000)::bigint || '-' || ordinal as key, ${json} as json from executions
    where ${sql.and([...conditions, ...behind])}
    order by created_at ${direction}, ordinal ${direction} limit ${rows}::bigint`
}

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
    '"id":' || to_json(id) || ${text(client, "job_id")}
    || ',"timestamp":"' || ${isoTime(client, "coalesce(event_at, created_at)")} || '","duration":' || ${duration(client)} || ',"tenant":' || to_json(tenant) || ${text(client, "event")}
    || ',"flowlineId":' || to_json(flowline_id) || ',"state":"' || state
    || '","createdAt":"' || ${isoTime(client, "created_at")} || '"'
    || ${text(client, "outcome")} || coalesce(',"counts":' || counts, '') || coalesce(',"reasons":' || reasons, '')`
  const parameters = (client: SqlClient.SqlClient) => client`
    case when octet_length(parameters) <= ${listedBytes}::integer then ',"parameters":' || parameters else '' end`
  const event = (client: SqlClient.SqlClient) => client`
    '{"timestamp":"' || ${isoTime(client, "at")} || '","tenant":' || to_json(tenant) || ',"event":' || to_json(event)
    || ',"seq":' || seq || ${text(client, "detail")} || ${text(client, "outcome")} || '}'`

  const lines = ({ tenant, id }: ExecutionKey, after: number, page: LinePage) =>
    selectLines(wide, wide`execution_output where tenant = ${tenant} and execution_id = ${id} and seq > ${after}`, page)

  return {
    detail: Effect.fn("ExecutionStore.detail")(function* ({ tenant, id }: ExecutionKey) {
      const [row] = yield* sql<StatusRow & KeptRow>`
        select '{' || ${summary(sql)} || '}' as summary, flowline_id as "flowlineId", version, runtime, state,
          parameters, variables, environment, trigger,
          flow_iso(started_at) as "startedAt", flow_iso(ended_at) as "endedAt", error, nodes,
          coalesce((select '[' || string_agg(${event(sql)}, ',' order by seq desc) || ']' from execution_events
            where tenant = e.tenant and execution_id = e.id), '[]') as events
        from executions e where tenant = ${tenant} and id = ${id}`
      if (row === undefined) return undefined
      const { summary: own, events, nodes, trigger, parameters, variables, environment, ...rest } = row
      const values = keptOf({ parameters, variables, environment }) ?? { parameters: {}, variables: {} }
      return yield* Effect.orDie(
        decodeStatus({
          ...JSON.parse(own),
          ...values,
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
      const [row] = yield* sql<
        NewExecution & KeptRow & { readonly trigger: string | null; readonly body: string | null }
      >`
        select e.tenant, flowline_id as "flowlineId", e.version, runtime, v.dag, trigger, body,
          parameters, variables, environment
        from executions e join flowline_versions v
          on v.tenant = e.tenant and v.id = e.flowline_id and v.version = e.version
        where e.tenant = ${tenant} and e.id = ${id}`
      if (row === undefined) return undefined
      const { trigger, body, parameters, variables, environment, ...rest } = row
      return {
        ...rest,
        kept: keptOf({ parameters, variables, environment }),
        ...(trigger === null ? {} : { trigger }),
        ...(body === null ? {} : { body })
      }
    }, unreachable),

    list: (tenant: TenantId, filter: ExecutionFilter, span: ListSpan) =>
      listPages(span, (after, rows) =>
        selectExecutions(wide, wide`'{' || ${summary(wide)} || ${parameters(wide)} || '}'`, tenant, filter, after, rows)
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
