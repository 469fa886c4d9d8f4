import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Metric, Predicate, type Scope } from "effect"
import type * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/** Wait for a connection, in milliseconds, after which a pool whose connections are all in use counts as exhausted. */
const exhaustedAfter = 1000

type Acquire = Effect.Effect<Connection, SqlError, Scope.Scope>

/** Counts the open connections that a pool's configuration makes. */
export class OpenSockets {
  open = 0

  /** A copy of the configuration whose connections are counted. */
  counted<C extends Pick<PgClient.PgPoolConfig, "stream">>(config: C): C {
    const { stream } = config
    if (stream === undefined) return config
    const counting = () => {
      const socket = stream()
      this.open++
      socket.once("close", () => this.open--)
      return socket
    }
    return { ...config, stream: counting }
  }
}

const gauges: ReadonlyArray<readonly [string, string, (pool: PoolState) => number]> = [
  ["flow_database_connections_used", "Connections to PostgreSQL that are in use", ({ used }) => used],
  [
    "flow_database_connections_idle",
    "Open connections to PostgreSQL that are not in use",
    ({ open, used }) => Math.max(0, open - used)
  ],
  ["flow_database_connections_awaited", "Operations that wait for a connection", ({ waiting }) => waiting]
]

/** Shows a pool in the metrics until the scope closes. */
export const observePool = (pool: string, state: PoolState): Effect.Effect<void, never, Scope.Scope> =>
  Effect.forEach(
    gauges,
    ([name, description, value]) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.acquireRelease(
          Effect.sync(() =>
            Metric.registerUnsafe(Metric.gauge(name, { description, attributes: { pool } }), context, {
              get: () => ({ value: value(state) }),
              update: () => {},
              modify: () => {}
            })
          ),
          (registration) => Effect.sync(registration.remove)
        )
      ),
    { discard: true }
  )

/** How many connections of a pool are open, how many of them are in use, and how many operations wait for one. */
interface PoolState {
  readonly open: number
  readonly used: number
  readonly waiting: number
}

/** Counts the connections of a pool that are open and in use, and those who wait for one. */
class PoolUse implements PoolState {
  readonly #size: number
  readonly #waiting = new Set<{ readonly since: number }>()
  readonly #sockets: OpenSockets
  #used = 0

  constructor(size: number, sockets: OpenSockets) {
    this.#size = size
    this.#sockets = sockets
  }

  get open(): number {
    return this.#sockets.open
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get isExhausted(): boolean {
    const [oldest] = this.#waiting
    return this.#used >= this.#size && oldest !== undefined && performance.now() - oldest.since > exhaustedAfter
  }

  watch(acquire: Acquire): Acquire {
    const use = Effect.acquireRelease(
      Effect.sync(() => void this.#used++),
      () => Effect.sync(() => void this.#used--)
    )
    return Effect.suspend(() => {
      const waiter = { since: performance.now() }
      this.#waiting.add(waiter)
      const arrived = Effect.sync(() => void this.#waiting.delete(waiter))
      return Effect.tap(Effect.ensuring(acquire, arrived), () => use)
    })
  }
}

/** The pools of this process. */
class Pools {
  readonly #pools = new Map<PoolUse, string>()

  /** The names of pools whose connections are all in use while somebody waits for one. */
  get exhausted(): ReadonlyArray<string> {
    return [...this.#pools].filter(([use]) => use.isExhausted).map(([, name]) => name)
  }

  /** Adds a pool until the scope closes, with its metrics. */
  open(name: string, size: number, sockets: OpenSockets): Effect.Effect<PoolUse, never, Scope.Scope> {
    return Effect.acquireRelease(
      Effect.sync(() => {
        const use = new PoolUse(size, sockets)
        this.#pools.set(use, name)
        return use
      }),
      (use) => Effect.sync(() => this.#pools.delete(use))
    ).pipe(Effect.tap((use) => observePool(name, use)))
  }
}

export const ConnectionPools = Context.Reference<Pools>("flow/drivers/ConnectionPools", {
  defaultValue: () => new Pools()
})

/** Sessions keep the database's settings from their start: one that began while it was read-only stays read-only. */
const connectionTTL = "1 minute"

/** A client whose statements have a connection each, from a pool that readiness and metrics see under this name. */
export const makeWatchedClient = Effect.fnUntraced(function* (
  name: string,
  config: PgClient.PgPoolConfig & { readonly maxConnections: number }
): Effect.fn.Return<PgClient.PgClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const sockets = new OpenSockets()
  const pool = yield* PgClient.make({ connectionTTL, ...sockets.counted(config) })
  const use = yield* (yield* ConnectionPools).open(name, config.maxConnections, sockets)
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
