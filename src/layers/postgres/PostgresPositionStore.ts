import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../drivers/postgres/Unreachable.ts"
import { PositionStore } from "../../services/runs/PositionStore.ts"

/** Positions in the table `positions`, fenced by the epoch in `executions`. */
export const layer = Layer.effect(
  PositionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return PositionStore.of({
      load: Effect.fn("PositionStore.load")(function* (tenant, scope) {
        const rows = yield* sql<{ component: string; value: string }>`
          select component, value::text as value from positions where tenant = ${tenant} and scope = ${scope}`
        return Object.fromEntries(rows.map(({ component, value }) => [component, JSON.parse(value)]))
      }, unreachable),
      save: Effect.fn("PositionStore.save")(function* ({ tenant, id, epoch }, scope, component, value) {
        // The row of the execution is locked, so that no newer attempt can begin between the check and the write.
        const rows = yield* sql`
          with execution as (
            select 1 from executions
            where tenant = ${tenant} and id = ${id} and epoch = ${epoch} and state = 'RUNNING' for update
          )
          insert into positions (tenant, scope, component, value)
          select ${tenant}, ${scope}, ${component}, ${JSON.stringify(value)}::text::jsonb from execution
          on conflict (tenant, scope, component) do update set value = excluded.value
          returning 1`
        return rows.length > 0
      }, unreachable),
      remove: (tenant, scope) =>
        unreachable(Effect.asVoid(sql`delete from positions where tenant = ${tenant} and scope = ${scope}`))
    })
  })
)
