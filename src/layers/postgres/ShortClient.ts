import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Exit, Option, type Scope, type Stream } from "effect"
import { HttpRouter } from "effect/http"
import type * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { commit, makeWatchedClient, OpenSockets, observePool } from "../../drivers/postgres/ConnectionPools.ts"
import { isReadOnly } from "../../drivers/postgres/Unreachable.ts"
import { FairSemaphore } from "../../services/shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../../services/shared/process/ObservableMetrics.ts"

/** Number of connections for statements, and of those for transactions. */
const connections = 10

/** Transactions of requests for one tenant at once, as they may wait for each other. The rest is for other tenants. */
const tenantTransactions = 8

/** The tenant in the path of the request; undefined for the gateway's own work. */
const requestTenant = (context: Context.Context<never>): string | undefined =>
  Option.getOrUndefined(Context.getOption(context, HttpRouter.RouteContext))?.params["tenant"]

/**
 * The client for short statements. Statements of many fibers share a connection and are pipelined, which takes half the
 * CPU time of a connection for each. Because a statement waits for those before it on its connection, it goes to the
 * connection with the fewest pending statements. Whatever needs a connection of its own (transactions, streams,
 * listeners) uses a separate pool.
 */
export const makeShortClient = Effect.fnUntraced(function* (
  config: PgClient.PgPoolConfig
): Effect.fn.Return<PgClient.PgClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const sockets = new OpenSockets()
  const shared = yield* Effect.all(
    Array.from({ length: connections }, () =>
      PgPool.make({ ...sockets.counted(config), multiplex: true, multiplexConcurrency: 512, maxConnections: 1 })
    )
  )
  const slots = shared.map((pool): Slot => ({ pool, load: 0 }))
  yield* observePool("statements", {
    get open() {
      return sockets.open
    },
    get used() {
      return slots.filter(({ load }) => load > 0).length
    },
    // A statement follows those before it on its connection.
    get waiting() {
      return slots.reduce((sum, { load }) => sum + Math.max(0, load - 1), 0)
    }
  })
  const exclusive = yield* makeWatchedClient("transactions", { ...config, maxConnections: connections })
  const turns = new FairSemaphore<never, string>({ all: connections, each: tenantTransactions, kept: 2 })
  yield* observeQueue("transactions", turns)
  const acquirer = Effect.contextWith((context: Context.Context<never>) => {
    const tenant = requestTenant(context)
    return tenant === undefined ? exclusive.reserve : Effect.andThen(turns.place(tenant), exclusive.reserve)
  })
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer,
    borrower: leastLoaded(slots),
    transactionAcquirer: acquirer,
    compiler: PgClient.makeCompiler(undefined, false),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { json, listen, notify } = exclusive
  return Object.assign(client, { [PgClient.TypeId]: PgClient.TypeId, config, json, listen, notify })
})

interface Slot {
  readonly pool: PgPool.PgPool
  load: number
}

/** The first of the least loaded, so that a quiet gateway keeps few connections open. */
const leastLoaded =
  (slots: ReadonlyArray<Slot>): Borrower =>
  (use) =>
    Effect.suspend(() => {
      const slot = slots.reduce((best, other) => (other.load < best.load ? other : best))
      slot.load++
      return Effect.onExit(
        slot.pool.use((connection) =>
          Effect.tapError(use(new SharedConnection(connection)), (error) => renewed(slot, connection, error))
        ),
        (exit) => (Exit.hasInterrupts(exit) ? Effect.asVoid(Effect.forkDetach(outlast(slot))) : lighten(slot))
      )
    })

/** Replaces a read-only session, which stays read-only even when the database can be written again. */
const renewed = (slot: Slot, connection: PgConnection.PgConnection, error: unknown): Effect.Effect<void> =>
  isReadOnly(error) ? slot.pool.invalidate(connection) : Effect.void

const lighten = (slot: Slot): Effect.Effect<void> => Effect.sync(() => slot.load--)

/**
 * A statement on a shared connection cannot be cancelled: it continues after its fiber was interrupted and delays
 * others. The connection counts as busy until it has answered a query sent after that statement.
 */
const outlast = (slot: Slot): Effect.Effect<void> =>
  slot.pool.use((connection) => connection.query("SELECT")).pipe(Effect.exit, Effect.andThen(lighten(slot)))

type Transform = (<A extends object>(row: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

/** A session as a `Connection` of `SqlClient`. Column names are not transformed. */
class SharedConnection implements Connection {
  readonly session: PgConnection.PgConnection
  constructor(session: PgConnection.PgConnection) {
    this.session = session
  }
  execute(sql: string, params: ReadonlyArray<unknown>, _transform: Transform) {
    return Effect.map(this.session.query(sql, params), (result) => result.rows)
  }
  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.session.query(sql, params)
  }
  executeStream(sql: string, params: ReadonlyArray<unknown>, _transform: Transform): Stream.Stream<unknown, SqlError> {
    return this.session.stream(sql, params)
  }
  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.session.queryValues(sql, params)
  }
  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.session.queryValues(sql, params, false)
  }
  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, _transform: Transform) {
    return Effect.map(this.session.query(sql, params, false), (result) => result.rows)
  }
}
