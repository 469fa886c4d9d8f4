import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Metric, Predicate, type Scope } from "effect"
import type * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/** Wait for a connection, in milliseconds, after which a pool whose connections are all in use counts as exhausted. */
const exhaustedAfter = 1000

type Acquire = Effect.Effect<Connection, SqlError, Scope.Scope>

const gauge = (name: string, pool: string, description: string) =>
  Metric.gauge(name, { description, attributes: { pool } })

/** Counts the connections of a pool that are in use, and those who wait for one. */
class PoolUse {
  readonly #size: number
  readonly #tell: (used: number, waiting: number) => void
  readonly #waiting = new Set<{ readonly since: number }>()
  #used = 0

  constructor(size: number, tell: (used: number, waiting: number) => void) {
    this.#size = size
    this.#tell = tell
  }

  get isExhausted(): boolean {
    const [oldest] = this.#waiting
    return this.#used >= this.#size && oldest !== undefined && performance.now() - oldest.since > exhaustedAfter
  }

  watch(acquire: Acquire): Acquire {
    const use = Effect.acquireRelease(
      Effect.sync(() => this.#change(1)),
      () => Effect.sync(() => this.#change(-1))
    )
    return Effect.suspend(() => {
      const waiter = { since: performance.now() }
      this.#waiting.add(waiter)
      this.#change(0)
      const arrived = Effect.sync(() => {
        this.#waiting.delete(waiter)
        this.#change(0)
      })
      return Effect.tap(Effect.ensuring(acquire, arrived), () => use)
    })
  }

  #change(by: number): void {
    this.#used += by
    this.#tell(this.#used, this.#waiting.size)
  }
}

/** The pools of this process. */
export class Pools {
  readonly #pools = new Map<PoolUse, string>()

  /** The names of pools whose connections are all in use while somebody waits for one. */
  get exhausted(): ReadonlyArray<string> {
    return [...this.#pools].filter(([use]) => use.isExhausted).map(([, name]) => name)
  }

  /** Adds a pool until the scope closes, with its metrics. */
  open(name: string, size: number): Effect.Effect<PoolUse, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.sync(() => {
          const used = gauge("flow_database_connections_used", name, "Connections to PostgreSQL that are in use")
          const waiting = gauge("flow_database_connections_awaited", name, "Operations that wait for a connection")
          const use = new PoolUse(size, (inUse, waiters) => {
            used.updateUnsafe(inUse, context)
            waiting.updateUnsafe(waiters, context)
          })
          this.#pools.set(use, name)
          return use
        })
      ),
      (use) => Effect.sync(() => this.#pools.delete(use))
    )
  }
}

export const ConnectionPools = Context.Reference<Pools>("flow/drivers/ConnectionPools", {
  defaultValue: () => new Pools()
})

/** A client whose statements have a connection each, from a pool that readiness and metrics see under this name. */
export const makeWatchedClient = Effect.fnUntraced(function* (
  name: string,
  config: PgClient.PgPoolConfig & { readonly maxConnections: number }
): Effect.fn.Return<PgClient.PgClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const pool = yield* PgClient.make(config)
  const use = yield* (yield* ConnectionPools).open(name, config.maxConnections)
  const acquirer = use.watch(pool.reserve)
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer,
    transactionAcquirer: acquirer,
    compiler: PgClient.makeCompiler(undefined, false),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (savepoint) => `RELEASE SAVEPOINT ${savepoint}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { json, listen, notify } = pool
  return Object.assign(client, { [PgClient.TypeId]: PgClient.TypeId, config, json, listen, notify })
})

/** PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK instead of an error. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    const command = Predicate.hasProperty(result, "command") ? result.command : ""
    if (command !== "ROLLBACK") return Effect.void
    const message = "The transaction had failed, so COMMIT rolled it back"
    return new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
  })
