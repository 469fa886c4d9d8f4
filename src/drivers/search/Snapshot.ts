import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"

/** A connection that reads one moment, one statement after the other. */
export interface Moment {
  readonly rows: <A extends object>(statement: Statement<A>) => Stream.Stream<A, SqlError>
  /** Leaves the cores to others who read the same moment. */
  readonly alone: Effect.Effect<unknown, SqlError>
  readonly get: <A extends object>(statement: Statement<A>) => Effect.Effect<ReadonlyArray<A>, SqlError>
  /** The name of the moment, for other connections. */
  readonly exported: Effect.Effect<string, SqlError>
}

/**
 * A connection that reads one moment for as long as the scope lasts: that of a snapshot that another one holds, or now.
 */
export const momentOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, snapshot?: string) {
  const connection = yield* sql.reserve
  const say = (text: string) => connection.executeUnprepared(text, [], undefined)
  yield* Effect.addFinalizer(() => Effect.ignore(say("rollback")))
  yield* say("begin isolation level repeatable read read only")
  // The statement takes no parameters; the name is PostgreSQL's own.
  if (snapshot !== undefined) yield* say(`set transaction snapshot '${snapshot.replace(/[^\w-]/g, "")}'`)
  // Whoever reads slowly is no reason to end the statement, or to take the moment away.
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

/** What `rows` gives, and how much that is: counted beside the reading, as it would hold the first rows up. */
export interface Counted {
  readonly count: Statement<{ readonly count: number }>
  readonly tell: (total: number) => void
}

/** What is read sooner is counted as it is read. */
const worthwhile = "1 second"

/** Counts in a moment that somebody else holds, on a connection of its own, for as long as the scope lasts. */
export const countIn = (sql: SqlClient.SqlClient, snapshot: string, { count, tell }: Counted) =>
  Effect.scoped(Effect.flatMap(momentOf(sql, snapshot), ({ alone, get }) => Effect.andThen(alone, get(count)))).pipe(
    Effect.map(([row]) => row !== undefined && tell(row.count)),
    Effect.ignore,
    Effect.delay(worthwhile),
    Effect.forkScoped
  )

/** Tells how much has passed when all has. */
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
      const moment = yield* momentOf(sql)
      if (counted === undefined) return moment.rows(rows)
      yield* countIn(sql, yield* moment.exported, counted)
      return totalled(moment.rows(rows), () => 1, counted)
    })
  )
