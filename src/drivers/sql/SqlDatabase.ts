import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlError } from "effect/sql/SqlError"
import { type Database, databasePlace, type OpenDatabase } from "../../nodes/ports/Databases.ts"
import { Failure } from "../Failure.ts"
import type { Outbound } from "../Outbound.ts"
import { Line } from "./Line.ts"
import { failureOf, isReadOnly } from "./SqlFailure.ts"
import { read } from "./SqlRead.ts"
import { openTable, watchClient } from "./SqlTable.ts"

/** Opens databases at addresses that `outbound` allows. Their connections close when `signal` is aborted. */
export const openDatabase =
  (outbound: Outbound, signal: AbortSignal): OpenDatabase =>
  async ({ url, user, password, ca }) => {
    const place = databasePlace(url)
    if (typeof place === "string") throw new Failure(`The URL of the database cannot be used. ${place}`)
    const where = `${place.host}:${place.port}`
    const host = place.host.includes(":") ? `[${place.host}]` : place.host
    const target = outbound.connection(new URL(`https://${host}:${place.port}`))
    const secret = password ?? place.password
    const isEncrypted = place.tls !== "disable"
    const scope = await Effect.runPromise(Scope.make())
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
    signal.addEventListener("abort", close, { once: true })
    const line = new Line()
    const opened = PgClient.make({
      host: place.host,
      port: place.port,
      database: place.database,
      username: user ?? place.user,
      ...(secret === undefined ? {} : { password: Redacted.make(secret) }),
      ssl: isEncrypted
        ? { rejectUnauthorized: place.tls === "verify-full", ...(ca === undefined ? {} : { ca }) }
        : false,
      applicationName: "flow-gateway",
      maxConnections: 1,
      connectTimeout: "10 seconds",
      // Poolers in front of a database keep no prepared statements.
      prepare: false,
      startupParameters: { TimeZone: "UTC", DateStyle: "ISO, MDY" },
      stream: () => line.open(target, isEncrypted),
      transformJson: false
    }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(Reactivity.layer))
    /** Runs the work; a failure of the database becomes one for the user. */
    const run = async <A>(work: Effect.Effect<A, unknown>): Promise<A> => {
      const exit = await line.awaiting(() => Effect.runPromiseExit(Effect.result(work), { signal }))
      signal.throwIfAborted()
      if (Exit.isFailure(exit)) throw new Failure(`${where}: the work was broken off`)
      if (exit.value._tag === "Success") return exit.value.success
      const { failure } = exit.value
      if (failure instanceof SqlError && isReadOnly(failure)) line.cut()
      throw failure instanceof SqlError ? failureOf(failure, where) : failure
    }
    const sql = await run(opened)
    const database: Database = {
      read: (query, take) => run(read(sql, query, (rows) => line.holding(() => take(rows)))),
      table: async (table) => {
        let watched = 0
        /** Every new connection is told first; if it is replaced in between, the next work tells the other one. */
        const writing = <A>(work: Effect.Effect<A, unknown>) =>
          run(
            Effect.suspend(() =>
              watched === line.opened && watched > 0
                ? work
                : Effect.andThen(
                    Effect.tap(sql.unsafe(watchClient), () => Effect.sync(() => (watched = line.opened))),
                    work
                  )
            )
          )
        const { columns, write } = await writing(openTable(sql, table))
        return { columns, write: (rows, outcomes) => writing(write(rows, outcomes)) }
      },
      close: async () => {
        signal.removeEventListener("abort", close)
        await close()
      }
    }
    return database
  }
