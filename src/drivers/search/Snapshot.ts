import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

/** A connection that runs statements, one after the other, in one snapshot. */
export interface Moment {
  readonly rows: <A extends object>(statement: Statement<A>) => Stream.Stream<A, SqlError>
  /** Disables parallel queries, to leave the cores to the other connections of the snapshot. */
  readonly alone: Effect.Effect<unknown, SqlError>
  readonly get: <A extends object>(statement: Statement<A>) => Effect.Effect<ReadonlyArray<A>, SqlError>
  /** The name of the snapshot, for other connections. */
  readonly exported: Effect.Effect<string, SqlError>
}

/**
 * A connection with a read-only snapshot until the scope closes: an exported snapshot of another connection, or a new
 * one.
 */
export const momentOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, snapshot?: string) {
  const connection = yield* sql.reserve
  const say = (text: string) => connection.executeUnprepared(text, [], undefined)
  yield* Effect.addFinalizer(() => Effect.ignore(say("rollback")))
  yield* say("begin isolation level repeatable read read only")
  // The statement takes no parameters. The name comes from PostgreSQL, and is sanitised anyway.
  if (snapshot !== undefined) yield* say(`set transaction snapshot '${snapshot.replace(/[^\w-]/g, "")}'`)
  // A slow reader must not make the server cancel the statement or end the transaction.
  yield* say("set local statement_timeout = 0")
  yield* say("set local idle_in_transaction_session_timeout = 0")
  const rows = <A extends object>(statement: Statement<A>): Stream.Stream<A, SqlError> => {
    const [text, parameters] = statement.compile()
    return connection.executeStream(text, parameters, undefined)
  }
  const get = <A extends object>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError> => {
    const [text, parameters] = statement.compile()
    return connection.executeUnprepared(text, parameters, undefined)
  }
  const exported = Effect.map(say("select pg_export_snapshot() as snapshot"), ([row]) => String(row?.snapshot))
  const alone = say("set local max_parallel_workers_per_gather = 0")
  return { rows, get, alone, exported } satisfies Moment
})

/** The result of `rows` with its count, which runs concurrently, because it would delay the first rows. */
export interface Counted {
  readonly count: Statement<{ readonly count: number }>
  readonly tell: (total: number) => void
}

/** Results that are read faster than this are counted while they are read. */
const worthwhile = "1 second"

/** Counts in another connection's snapshot, on a separate connection, until the scope closes. */
export const countIn = (sql: SqlClient.SqlClient, snapshot: string, { count, tell }: Counted) =>
  Effect.scoped(Effect.flatMap(momentOf(sql, snapshot), ({ alone, get }) => Effect.andThen(alone, get(count)))).pipe(
    Effect.map(([row]) => row !== undefined && tell(row.count)),
    Effect.ignore,
    Effect.delay(worthwhile),
    Effect.forkScoped
  )

/** Reports the number of rows at the end of the stream. */
export const totalled = <A, E>(
  stream: Stream.Stream<A, E>,
  amount: (passed: A) => number,
  { tell }: Pick<Counted, "tell">
): Stream.Stream<A, E> => {
  let total = 0
  const passed = Stream.mapArray(stream, (found) => {
    for (const one of found) total += amount(one)
    return found
  })
  const told = Stream.suspend(() => {
    tell(total)
    return Stream.empty
  })
  return Stream.concat(passed, told)
}

/**
 * Streams the rows of a statement from a transaction of its own. With `counted`, the number of rows in the same
 * snapshot is reported, at the latest at the end.
 */
export const streamed = <A extends object>(
  sql: SqlClient.SqlClient,
  rows: Statement<A>,
  counted: Counted | undefined
): Stream.Stream<A, SqlError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const moment = yield* momentOf(sql)
      if (counted === undefined) return moment.rows(rows)
      yield* countIn(sql, yield* moment.exported, counted)
      return totalled(moment.rows(rows), () => 1, counted)
    })
  )
