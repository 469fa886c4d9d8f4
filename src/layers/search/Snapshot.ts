import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

/** Counts on a connection of its own what a snapshot of another one holds. */
const countIn = (sql: SqlClient.SqlClient, snapshot: string, count: Statement<{ readonly count: number }>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read, read only`
      // The statement takes no parameters; the name is PostgreSQL's own.
      yield* sql.unsafe(`set transaction snapshot '${snapshot.replace(/[^\w-]/g, "")}'`)
      return (yield* count)[0]?.count
    })
  )

/** What `rows` gives, and how much that is: counted beside the reading, as it would hold the first rows up. */
export interface Counted {
  readonly count: Statement<{ readonly count: number }>
  readonly tell: (total: number) => void
}

/**
 * Streams the rows of a statement for as long as somebody reads them, out of a transaction of their own. With `counted`
 * the number of the rows is told, in the same snapshot: at the end at the latest.
 */
export const streamed = <A extends object>(
  sql: SqlClient.SqlClient,
  rows: Statement<A>,
  counted: Counted | undefined
): Stream.Stream<A, SqlError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      const say = (text: string) => connection.executeUnprepared(text, [], undefined)
      yield* Effect.addFinalizer(() => Effect.ignore(say("rollback")))
      yield* say("begin isolation level repeatable read read only")
      // Whoever reads slowly is no reason to end the statement.
      yield* say("set local statement_timeout = 0")
      const [text, parameters] = rows.compile()
      const stream: Stream.Stream<A, SqlError> = connection.executeStream(text, parameters, undefined)
      if (counted === undefined) return stream
      const { count, tell } = counted
      const [exported] = yield* say("select pg_export_snapshot() as snapshot")
      yield* countIn(sql, String(exported.snapshot), count).pipe(
        Effect.map((total) => total !== undefined && tell(total)),
        Effect.ignore,
        Effect.forkScoped
      )
      let read = 0
      const passed = Stream.mapArray(stream, (found) => {
        read += found.length
        return found
      })
      return Stream.concat(
        passed,
        Stream.suspend(() => {
          tell(read)
          return Stream.empty
        })
      )
    })
  )
