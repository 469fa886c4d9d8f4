import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../../drivers/postgres/Unreachable.ts"
import { type AttemptKey, PositionStore } from "../../../services/runs/PositionStore.ts"
import { progressOf } from "./Progress.ts"

/** Positions in the table `positions`, fenced by the epoch in `executions`. */
export const layer = Layer.effect(
  PositionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const progress = progressOf(sql)
    // The row of the execution is locked, so that no newer attempt can begin between the check and the write.
    const fence = ({ tenant, id, epoch }: AttemptKey) => sql`
      select 1 from executions
      where tenant = ${tenant} and id = ${id} and epoch = ${epoch} and state in ('PENDING', 'RUNNING') for update`
    return PositionStore.of({
      load: Effect.fn("PositionStore.load")(function* (tenant, scope) {
        const rows = yield* sql<{ component: string; value: string }>`
          select component, value::text as value from positions where tenant = ${tenant} and scope = ${scope}`
        return Object.fromEntries(rows.map(({ component, value }) => [component, JSON.parse(value)]))
      }, unreachable),
      save: (attempt, scope, given) => unreachable(progress.save(fence(attempt), attempt.tenant, scope, given)),
      claimFiles: (attempt, scope, paths) =>
        unreachable(progress.claimFiles(fence(attempt), attempt.tenant, scope, paths)),
      remove: (tenant, scope) =>
        unreachable(
          Effect.asVoid(sql`
            with files as (delete from appended_files where tenant = ${tenant} and scope = ${scope})
            delete from positions where tenant = ${tenant} and scope = ${scope}`)
        )
    })
  })
)
