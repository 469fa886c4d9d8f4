import { Cause, Context, Duration, Effect, Option, Predicate, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { storageDeadline } from "../../protocol/Liveness.ts"
import { saidBy, sqlState } from "./SqlState.ts"

const unreachableMetadata = () => new StorageUnreachable({ storage: "metadata" })

/**
 * SQLSTATE classes which mean that the server cannot serve at the moment: 08 connection, 53 resources (disk full, too
 * many connections), 57P shutdown, crash and recovery, 58 system error; 25P03, a transaction that waited too long for
 * this process; and 25006, a write where only reads are possible, such as on a standby or while somebody makes room. See
 * PostgreSQL's appendix "Error Codes".
 */
const cannotServe = /^(08|25006|25P03|53|57P|58)/

/** Whether a statement failed because its session can only read. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof SqlError && sqlState(error.reason.cause) === "25006"

/**
 * Whether the server refuses or ends the session, for example because a database accepts no connections, or is missing
 * while a backup is restored. No statement causes that.
 */
const endsSession = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "severityUnlocalized") && /^(FATAL|PANIC)$/.test(String(cause.severityUnlocalized))

/** Whether PostgreSQL is temporarily unreachable or overloaded. */
export const isAway = (error: SqlError): boolean => {
  switch (error.reason._tag) {
    case "ConnectionError":
    case "AuthenticationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return true
    default:
      return cannotServe.test(sqlState(error.reason.cause))
  }
}

/** Whether a failed statement means that PostgreSQL cannot be used, rather than that the statement is wrong. */
export const isUnreachable = (error: SqlError): boolean => isAway(error) || endsSession(error.reason.cause)

let reportedAt = Number.NEGATIVE_INFINITY

/** Logs at most one line per second, because an outage fails every request. */
const report = (error: SqlError): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (performance.now() - reportedAt < 1000) return Effect.void
    reportedAt = performance.now()
    const said = saidBy(error)
    const reason = said === error.message ? "" : `: ${said}`
    return Effect.logWarning(`PostgreSQL is unreachable: ${error.message}${reason}`)
  })

/**
 * Maps a failure to the contract's errors. A rollback on a lost connection fails with a defect of the same kind, which
 * adds nothing to the original failure.
 */
const explain = <E>(cause: Cause.Cause<E>): Effect.Effect<never, Exclude<E, SqlError> | StorageUnreachable> => {
  const errors = cause.reasons.flatMap((reason) => {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return error instanceof SqlError ? [error] : []
  })
  const away = errors.find(isUnreachable)
  if (away !== undefined) return Effect.andThen(report(away), unreachableMetadata())
  if (errors[0] !== undefined) return Effect.die(errors[0])
  return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError>>)
}

/**
 * Limits work on PostgreSQL to this time, and maps every way in which a database can be unavailable to the 504 of the
 * contract: no connection, no answer, no free connection in time, a server that starts, stops or is full. Every other
 * `SqlError` becomes a defect; other failures pass unchanged. Catch an expected `UniqueViolation` before this.
 */
export const unreachableWithin = (limit: Duration.Input) => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(limit))
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageUnreachable, R> =>
    Effect.catchCause(withDeadline(self, millis), explain<E | StorageUnreachable>)
}

/** Whether the work is part of a transaction that has a deadline. */
const InTransaction = Context.Reference<boolean>("flow/postgres/InTransaction", { defaultValue: () => false })

/**
 * `Effect.timeout` waits until the interrupted work has ended, and a rollback on a silent server takes seconds. This
 * one returns at once. It uses one fiber and one timer, because every request passes here. Within {@link transaction}
 * it does nothing: work that is given up returns its connection later, and only the transaction may do that.
 */
const withDeadline = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | StorageUnreachable, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    if (Context.get(context, InTransaction)) return self
    return Effect.callback<A, E | StorageUnreachable>((resume) => {
      const fiber = Effect.runForkWith(context)(self)
      const timer = setTimeout(() => {
        resume(Effect.fail(unreachableMetadata()))
        fiber.interruptUnsafe()
      }, millis)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Effect.sync(() => {
        clearTimeout(timer)
        fiber.interruptUnsafe()
      })
    })
  })

/** `unreachableWithin` five seconds. */
export const unreachable = unreachableWithin(storageDeadline)

/**
 * Runs writes of several stores in one transaction, `unreachable` as a whole. Within another one they are part of that.
 */
export const transaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  writes: Effect.Effect<A, E, R>,
  limit: Duration.Input = storageDeadline
): Effect.Effect<A, Exclude<E, SqlError> | StorageUnreachable, R> =>
  Effect.flatMap(InTransaction, (isPart) =>
    unreachableWithin(limit)(isPart ? writes : sql.withTransaction(Effect.provideService(writes, InTransaction, true)))
  )

/**
 * A statement that is a transaction by itself, on a connection of its own: it may wait for locks, and on a shared
 * connection the statements of others would wait behind it. Within a transaction it is part of that.
 */
export const alone = <A, E, R>(
  sql: SqlClient.SqlClient,
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Option.isSome(Context.getOption(context, sql.transactionService))
      ? statement
      : Effect.scoped(
          Effect.flatMap(sql.reserve, (connection) =>
            Effect.provideService(statement, sql.transactionService, [connection, 0])
          )
        )
  )

/** `unreachable` for streams, without a deadline: for slow rows on connections that detect a dead server themselves. */
export const unreachableSource = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<A, Exclude<E, SqlError> | StorageUnreachable, R> =>
  Stream.catchCause(self, (cause) => Stream.fromEffect(explain(cause)))

/**
 * Succeeds if PostgreSQL responds and can be written, fails otherwise; takes at most a second. It fails as a write would,
 * because that replaces a session that stays read-only.
 */
export const postgresHealth: Effect.Effect<void, StorageUnreachable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    DO $$ BEGIN
      IF current_setting('transaction_read_only')::boolean THEN
        RAISE read_only_sql_transaction USING MESSAGE = 'the database can only be read';
      END IF;
    END $$`
}).pipe(unreachableWithin("1 second"))
