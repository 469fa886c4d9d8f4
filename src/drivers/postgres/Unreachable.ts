import { Cause, type Context, Duration, Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { storageDeadline } from "../../protocol/Liveness.ts"
import { sqlState } from "./SqlState.ts"

const unreachableMetadata = () => new StorageUnreachable({ storage: "metadata" })

/**
 * SQLSTATE classes that say "the server cannot serve now": 08 connection, 53 resources (disk full, too many
 * connections), 57P shutdown, crash and recovery, 58 system error. See PostgreSQL's appendix "Error Codes".
 */
const cannotServe = /^(08|53|57P|58)/

/** Whether a failed statement means that PostgreSQL is away or overloaded, rather than that the statement is wrong. */
export const isUnreachable = (error: SqlError): boolean => {
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

let reportedAt = Number.NEGATIVE_INFINITY

/** An outage fails every request: one line a second says why. */
const report = (error: SqlError): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (performance.now() - reportedAt < 1000) return Effect.void
    reportedAt = performance.now()
    const reason = error.reason.cause instanceof Error ? `: ${error.reason.cause.message}` : ""
    return Effect.logWarning(`PostgreSQL cannot be reached: ${error.message}${reason}`)
  })

/**
 * The cause of a failure, in the contract's terms. Undoing a transaction whose connection has gone fails with a defect
 * of the same kind, which says no more than the failure that led to it.
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
 * Gives work on PostgreSQL at most this long, and turns the ways in which a database can be away into the 504 of the
 * contract: no connection, no answer, no free connection in time, a server that starts, stops or is full. Every other
 * `SqlError` becomes a defect; failures of other kinds pass. Catch a `UniqueViolation` that means something first.
 */
export const unreachableWithin = (limit: Duration.Input) => {
  const millis = Duration.toMillis(Duration.fromInputUnsafe(limit))
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageUnreachable, R> =>
    Effect.catchCause(withDeadline(self, millis), explain<E | StorageUnreachable>)
}

/**
 * `Effect.timeout` would wait until the work has let itself be interrupted, and undoing a transaction on a server that
 * does not answer takes seconds more. Here the caller goes on at once. One fiber and one timer: this is on the path of
 * every request.
 */
const withDeadline = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | StorageUnreachable, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E | StorageUnreachable>((resume) => {
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
  )

/** `unreachableWithin` five seconds. */
export const unreachable = unreachableWithin(storageDeadline)

/**
 * The same for rows that are streamed: the deadline is for each time that somebody waits for rows; the whole may last
 * as long as it is read.
 */
export const unreachableStream = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<A, Exclude<E, SqlError> | StorageUnreachable, R> => {
  return unreachableSource(Stream.transformPull(self, (pull) => Effect.succeed(withDeadline(pull, storageDeadline))))
}

/** The same without a deadline, for rows that take their time, on connections that notice a server that is gone. */
export const unreachableSource = <A, E, R>(
  self: Stream.Stream<A, E, R>
): Stream.Stream<A, Exclude<E, SqlError> | StorageUnreachable, R> =>
  Stream.catchCause(self, (cause) => Stream.fromEffect(explain(cause)))

/** Whether PostgreSQL answers now; decided within a second. */
export const postgresHealth: Effect.Effect<void, StorageUnreachable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1`
}).pipe(unreachableWithin("1 second"))
