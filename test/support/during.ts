import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "./process.ts"

/**
 * Does a request while another transaction has made a change that the request does not see yet, and waits for. `last`
 * ends that transaction.
 */
export const during = <A, E, R>(
  change: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>,
  request: Effect.Effect<A, E, R>,
  last: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown> = () => Effect.void
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = sql`select pid from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`
    const running = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* change(sql)
        const running = yield* Effect.forkChild(request)
        yield* until(waiting, (found) => found.length > 0)
        yield* last(sql)
        return running
      })
    )
    return yield* Fiber.join(running)
  })
