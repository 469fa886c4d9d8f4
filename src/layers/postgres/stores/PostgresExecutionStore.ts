import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { executionUnclaimed } from "../../../protocol/Liveness.ts"
import { ExecutionId, type ExecutionState } from "../../../services/executions/Execution.ts"
import {
  type Claim,
  type Ending,
  type ExecutionAttempt,
  type ExecutionKey,
  ExecutionStore,
  type NewExecution,
  NoRoom
} from "../../../services/executions/ExecutionStore.ts"
import type { PrintedLine } from "../../../services/runs/Attempt.ts"
import type { TenantId } from "../../../services/shared/Tenant.ts"
import { WideSql } from "../Postgres.ts"
import { storable } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"
import { executionReads, type KeptRow, keptOf } from "./ExecutionReads.ts"
import { addArchive, withinQuota } from "./PostgresArchiveStore.ts"
import { removeUnused } from "./UnusedFlowlines.ts"

const unclaimed = `${executionUnclaimed} milliseconds`

/** Executions in the tables `executions`, `execution_events` and `execution_output`. */
export const layer = Layer.effect(
  ExecutionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wide = yield* WideSql

    const current = ({ tenant, id, epoch }: ExecutionAttempt) =>
      sql`tenant = ${tenant} and id = ${id} and epoch = ${epoch}`
    const open = sql`state in ('PENDING', 'RUNNING')`

    const create = Effect.fn("ExecutionStore.create")(function* (
      e: NewExecution,
      owner: string,
      now: number,
      most?: number
    ) {
      // The condition is true, or false for all rows: it is evaluated before the row is made.
      const hasRoom = most === undefined ? sql`true` : sql`flow_waiting(${e.tenant}, ${most}::bigint) < ${most}::bigint`
      const parameters = e.kept === undefined ? null : JSON.stringify(e.kept.parameters)
      const variables = e.kept === undefined ? null : JSON.stringify(e.kept.variables)
      for (let at = now; ; at++) {
        const id = ExecutionId(`${e.flowlineId}-${at}`)
        const [row] = yield* sql<{ found: boolean; added: boolean }>`
          with room as (select ${hasRoom} as found), added as (
            insert into executions
              (tenant, id, flowline_id, version, runtime, state, owner, parameters, variables, environment, trigger, body)
            select ${e.tenant}, ${id}, ${e.flowlineId}, ${e.version}, ${e.runtime}, 'PENDING', ${owner},
              ${parameters}::text, ${variables}::text, ${e.kept?.environment ?? null}::text,
              ${e.trigger ?? null}, ${e.body ?? null}
            from room where found
            on conflict do nothing returning 1
          )
          select found, exists (select from added) as added from room`
        if (row?.found === false) return yield* new NoRoom()
        if (row?.added === true) return { tenant: e.tenant, id }
      }
    }, unreachable)

    const pending = Effect.fn("ExecutionStore.pending")(function* (tenant: TenantId, most: number) {
      const rows = yield* sql`select 1 from executions where tenant = ${tenant} and state = 'PENDING' limit ${most}`
      return rows.length
    }, unreachable)

    const pendingOfAll = Effect.map(
      sql<{ tenant: TenantId; count: number }>`
        select tenant, count(*)::float8 as count from executions where state = 'PENDING' group by tenant`,
      (rows) => new Map(rows.map(({ tenant, count }) => [tenant, count]))
    ).pipe(unreachable)

    const claim = Effect.fn("ExecutionStore.claim")(function* (key: ExecutionKey, owner: string) {
      const [row] = yield* sql<Omit<Claim, "kept"> & KeptRow>`
        update executions e set epoch = epoch + 1, owner = ${owner}, state = 'PENDING'
        from flowline_versions v
        where e.tenant = ${key.tenant} and e.id = ${key.id} and ${open} and not cancelled
          and v.tenant = e.tenant and v.id = e.flowline_id and v.version = e.version
        returning e.tenant, e.id, epoch, attempts, flowline_id as "flowlineId", runtime, v.dag,
          parameters, variables, environment, trigger, body, lines::float8 as lines`
      if (row === undefined) return undefined
      const { parameters, variables, environment, ...rest } = row
      return { ...rest, kept: keptOf({ parameters, variables, environment }) }
    }, unreachable)

    const started = Effect.fn("ExecutionStore.started")(function* (
      attempt: ExecutionAttempt,
      jobId: string,
      event: string
    ) {
      return yield* reached(
        sql`
        with execution as (
          update executions set state = 'RUNNING', attempts = attempts + (state <> 'RUNNING')::integer, job_id = ${jobId}, started_at = coalesce(started_at, now()),
            event = coalesce(event, ${event}), event_at = coalesce(event_at, now())
          where ${current(attempt)} and ${open}
          returning tenant, id, event_at
        ), event as (
          insert into execution_events (tenant, execution_id, seq, event, at)
          select tenant, id, 1, ${event}, event_at from execution on conflict do nothing
        )
        select 1 from execution`
      )
    }, unreachable)

    // A write whose answer got lost is made again: what is there then is what this one says.
    const output = Effect.fn("ExecutionStore.output")(function* (
      attempt: ExecutionAttempt,
      lines: ReadonlyArray<PrintedLine>
    ) {
      const rows = JSON.stringify(lines.map((line) => ({ ...line, text: storable(line.text) })))
      return yield* reached(
        sql`
        with execution as (
          update executions set lines = ${lines.at(-1)?.seq ?? 0}, output_bytes = output_bytes + ${Buffer.byteLength(rows)}
          where ${current(attempt)} and state = 'RUNNING' returning tenant, id
        ), added as (
          insert into execution_output (tenant, execution_id, seq, at, component, text)
          select e.tenant, e.id, l.seq, to_timestamp(l.at / 1000), l.component, l.text
          from execution e, json_to_recordset(${rows}::json)
            as l(seq bigint, at double precision, component text, text text)
          on conflict do nothing
        )
        select 1 from execution`
      )
    }, unreachable)

    /** The row of the flowline is locked, so that a removal comes before this or sees what it writes. */
    const keepCarried = (carried: Ending["carried"]) =>
      carried === undefined
        ? sql``
        : sql`, saved as (
          select f.tenant, f.id from ended join flowlines f on f.tenant = ended.tenant and f.id = ended.flowline_id
          where f.saved for share of f
        ), carried as (
          insert into positions (tenant, scope, component, value)
          select saved.tenant, 'flowlines/' || saved.id, p.key, p.value
          from saved, jsonb_each(${JSON.stringify(carried)}::text::jsonb) p
          on conflict (tenant, scope, component) do update set value = excluded.value
        )`

    const ended = Effect.fn("ExecutionStore.ended")(function* (attempt: ExecutionAttempt, ending: Ending) {
      const error = ending.error === undefined ? null : storable(ending.error)
      const nodes = ending.nodes === undefined ? null : JSON.stringify(ending.nodes)
      const { outcome: word, counts, reasons = [] } = ending.outcome ?? {}
      const outcome = ending.state === "SUCCEEDED" ? (word ?? null) : null
      const told = outcome === null || reasons.length === 0 ? null : reasons
      const detail = error ?? (told === null ? null : storable(told.join("; ")))
      const write = sql`
        with ended as (
          update executions set state = ${ending.state}, ended_at = greatest(now(), started_at), event = ${ending.event},
            event_at = greatest(now(), started_at), error = ${error}, nodes = coalesce(${nodes}::text, nodes),
            outcome = ${outcome}::text, counts = ${counts === undefined ? null : JSON.stringify(counts)}::text,
            reasons = ${told === null ? null : JSON.stringify(told)}::text
          where ${current(attempt)} and ${open}
          returning tenant, id, event_at, flowline_id
        ), event as (
          insert into execution_events (tenant, execution_id, seq, event, at, detail, outcome)
          select tenant, id, 2, ${ending.event}, event_at, ${detail}::text, ${outcome}::text from ended on conflict do nothing
        )${addArchive(sql, ending.archive)}${keepCarried(ending.carried)}
        select 1 from ended`
      return yield* withinQuota(sql, attempt.tenant, ending.archive, ending.archives, reached(write))
    }, unreachable)

    return ExecutionStore.of({
      ...executionReads(sql, wide),
      create,
      pending,
      pendingOfAll,
      claim,
      started,
      output,
      ended,
      truncated: (attempt) =>
        unreachable(reached(sql`update executions set truncated = true where ${current(attempt)} returning 1`)),
      counters: (attempt, nodes) =>
        unreachable(
          reached(
            sql`update executions set nodes = ${JSON.stringify(nodes)} where ${current(attempt)} and ${open} returning 1`
          )
        ),
      release: (attempt) =>
        unreachable(
          reached(sql`
            update executions set state = 'PENDING', owner = null, epoch = epoch + 1,
              attempts = attempts - (state = 'RUNNING')::integer
            where ${current(attempt)} and ${open} returning 1`)
        ),
      cancel: Effect.fn("ExecutionStore.cancel")(function* ({ tenant, id }) {
        const [row] = yield* sql<{ state: ExecutionState }>`
          with before as (select state from executions where tenant = ${tenant} and id = ${id} for update),
          mark as (update executions set cancelled = true where tenant = ${tenant} and id = ${id} and ${open})
          select state from before`
        return row?.state
      }, unreachable),
      endCancelled: Effect.fn("ExecutionStore.endCancelled")(function* ({ tenant, id }, onlyPending) {
        const [ended] = yield* sql<{ runtime: string }>`
          with execution as (
            update executions set state = 'CANCELLED', epoch = epoch + 1, ended_at = greatest(now(), started_at),
              event_at = greatest(now(), started_at),
              event = runtime || '.application.cancelled'
            where tenant = ${tenant} and id = ${id} and cancelled
              and ${onlyPending ? sql`state = 'PENDING'` : open}
            returning tenant, id, event, event_at, runtime
          ), event as (
            insert into execution_events (tenant, execution_id, seq, event, at)
            select tenant, id, 2, event, event_at from execution on conflict do nothing
          )
          select runtime from execution`
        return ended?.runtime
      }, unreachable),
      remove: Effect.fn("ExecutionStore.remove")(function* ({ tenant, id }) {
        const [row] = yield* sql<{ state: ExecutionState; flowline: string | null }>`
          with before as (select state from executions where tenant = ${tenant} and id = ${id} for update),
          gone as (delete from executions where tenant = ${tenant} and id = ${id} and not (${open}) returning flowline_id)
          select state, (select flowline_id from gone) as flowline from before`
        if (row?.flowline != null) yield* removeUnused(sql, tenant, [row.flowline])
        return row?.state
      }, unreachable),
      toCancel: (owner) =>
        unreachable(sql<ExecutionKey>`
          select tenant, id from executions where owner = ${owner} and ${open} and cancelled order by ordinal limit 1000`),
      unclaimed: (owner) =>
        unreachable(sql<ExecutionKey>`
          select tenant, id from executions
          where owner = ${owner} and ${open} and epoch = 0 and created_at < clock_timestamp() - ${unclaimed}::interval
          order by ordinal limit 100`),
      orphans: unreachable(sql<ExecutionKey>`
        update executions set owner = null, state = 'PENDING', epoch = epoch + 1
        where (tenant, id) in (
          select tenant, id from executions
          where ${open} and owner is not null and not exists (select 1 from gateways g where g.id = executions.owner)
          for update skip locked
        )
        returning tenant, id`)
    })
  })
)
