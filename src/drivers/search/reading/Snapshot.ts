import { Data, Effect, Schedule, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { BeginTransaction } from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Key } from "../../../languages/query/IndexedDocument.ts"
import { sqlState } from "../../postgres/SqlState.ts"
import { groupReader } from "../indices/Catalog.ts"
import { compact } from "../statements/CompactStatement.ts"
import type { Group } from "./Select.ts"

const readOnly = "begin isolation level repeatable read read only"

/** A transaction whose statements all read the same snapshot. */
export const inSnapshot =
  (sql: SqlClient.SqlClient) =>
  <A, E>(work: Effect.Effect<A, E>) =>
    Effect.provideService(sql.withTransaction(work), BeginTransaction, readOnly)

/** A connection that runs statements, one after the other, in one snapshot. A mark is that of `RowTaps`. */
export interface Moment {
  readonly rows: <A extends object>(statement: Statement<A>, mark?: string) => Stream.Stream<A, SqlError>
  /** Disables parallel queries, to leave the cores to the other connections of the snapshot. */
  readonly alone: Effect.Effect<unknown, SqlError>
  /** {@link rows}, whose locks are given back at the end. */
  readonly released: <A extends object>(statement: Statement<A>, mark?: string) => Stream.Stream<A, SqlError>
  /** Work with {@link get}, whose locks are given back at the end. */
  readonly releasing: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
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
  yield* say(readOnly)
  // The statement takes no parameters. The name comes from PostgreSQL, and is sanitised anyway.
  if (snapshot !== undefined) yield* say(`set transaction snapshot '${snapshot.replace(/[^\w-]/g, "")}'`)
  // A slow reader must not make the server cancel the statement or end the transaction.
  yield* say("set local statement_timeout = 0")
  yield* say("set local idle_in_transaction_session_timeout = 0")
  const rows = <A extends object>(statement: Statement<A>, mark = ""): Stream.Stream<A, SqlError> => {
    const [text, parameters] = compact(statement)
    return connection.executeStream(mark + text, parameters, undefined)
  }
  const get = <A extends object>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError> => {
    const [text, parameters] = compact(statement)
    return connection.executeUnprepared(text, parameters, undefined)
  }
  const released = <A extends object>(statement: Statement<A>, mark?: string): Stream.Stream<A, SqlError> =>
    Stream.unwrap(Effect.as(say("savepoint opened"), rows(statement, mark))).pipe(
      Stream.concat(Stream.fromEffectDrain(say("rollback to savepoint opened")))
    )
  const releasing = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.andThen(
      say("savepoint opened"),
      Effect.tap(work, () => say("rollback to savepoint opened"))
    )
  const exported = Effect.map(say("select pg_export_snapshot() as snapshot"), ([row]) => String(row?.snapshot))
  const alone = say("set local max_parallel_workers_per_gather = 0")
  return { rows, released, releasing, get, alone, exported } satisfies Moment
})

/** Parts were removed after the catalogue was read. */
export class PartsGone extends Data.TaggedError("PartsGone") {}

/**
 * A snapshot for reading groups of parts one after the other. No lock keeps the tables of later groups, so the
 * connection takes the name that `sweepParts` looks for, before it makes sure that none of the parts has been removed.
 */
const groupedMoment = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, parts: ReadonlyArray<number>) {
  const moment = yield* momentOf(sql)
  yield* moment.get(sql`select set_config('application_name', ${groupReader}, true)`)
  const known = yield* moment.get(sql`select part from search_parts where part = any(${parts}::integer[])`)
  return known.length < parts.length ? yield* new PartsGone() : moment
})

/** A new snapshot for groups of parts. */
export const begin = (sql: SqlClient.SqlClient, groups: ReadonlyArray<Group>) =>
  groups.length === 1
    ? momentOf(sql)
    : groupedMoment(sql, [...new Set(groups.flatMap(({ parts }) => parts.map(({ part }) => part)))])

/** The result of `rows` with its count, which runs concurrently, because it would delay the first rows. */
export interface CountedRows {
  /** Statements whose counts are added up. */
  readonly counts: ReadonlyArray<Statement<{ readonly count: number }>>
  readonly tell: (total: number) => void
}

/** The sum of counts, each in its own statement. */
export const sumOf = (counts: CountedRows["counts"], rows: Moment["rows"]) =>
  Stream.fromIterable(counts).pipe(
    Stream.flatMap((count) => rows(count)),
    Stream.runFold(
      () => 0,
      (sum, { count }) => sum + count
    )
  )

/** Results that are read faster than this are counted while they are read. */
const worthwhile = "5 seconds"

/** Counts in another connection's snapshot, on a separate connection, until the scope closes. */
export const countIn = (sql: SqlClient.SqlClient, snapshot: string, { counts, tell }: CountedRows) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { alone, released } = yield* momentOf(sql, snapshot)
      yield* alone
      return yield* sumOf(counts, released)
    })
  ).pipe(Effect.map(tell), Effect.ignore, Effect.delay(worthwhile), Effect.forkScoped)

/** Reports the number of rows at the end of the stream. */
export const totalled = <A, E>(
  stream: Stream.Stream<A, E>,
  amount: (passed: A) => number,
  { tell }: Pick<CountedRows, "tell">
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
 * Streams the rows of a statement for each group of parts, all from one transaction. With `counted`, the number of rows in the same
 * snapshot is reported, at the latest at the end.
 */
export const streamed = <A extends object>(
  sql: SqlClient.SqlClient,
  groups: ReadonlyArray<Group>,
  statement: (group: Group) => Statement<A>,
  counted: CountedRows | undefined
): Stream.Stream<A, SqlError | PartsGone> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const moment = yield* begin(sql, groups)
      const all =
        groups.length === 1
          ? moment.rows(statement(groups[0]!))
          : Stream.flatMap(Stream.fromIterable(groups), (group) => moment.released(statement(group)))
      if (counted === undefined) return all
      yield* countIn(sql, yield* moment.exported, counted)
      return totalled(all, () => 1, counted)
    })
  )

/** Whether a search has to begin again with the current parts: one was dropped after the catalogue was read. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof PartsGone || (error instanceof SqlError && sqlState(error.reason.cause) === "42P01")

/** Retrying is safe: a statement fails with this error only before its first row. */
export const lookAgain = Schedule.while(Schedule.recurs(3), ({ input }: { readonly input: unknown }) =>
  isOutdated(input)
)

/** How the rows after a key are read: the statement for a group, and all of them. `nested`: see `nestedFields`. */
export type ReadsRows<Row> = (
  after: Key | undefined,
  nested: ReadonlySet<string>
) => {
  readonly statement: (group: Group) => Statement<object>
  readonly rows: (
    groups: ReadonlyArray<Group>,
    counted: CountedRows | undefined
  ) => Stream.Stream<Row, SqlError | PartsGone>
}
