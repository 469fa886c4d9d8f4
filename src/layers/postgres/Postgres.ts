import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { makeWatchedClient } from "../../drivers/postgres/ConnectionPools.ts"
import { connectWatched, type Patience, targetOf } from "../../drivers/postgres/LivenessSocket.ts"
import { saidBy } from "../../drivers/postgres/SqlState.ts"
import { isAway } from "../../drivers/postgres/Unreachable.ts"
import { connectionSilence, idleTransaction, storageDeadline } from "../../protocol/Liveness.ts"
import { startEmbedded } from "./embedded/Embedded.ts"
import type { EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.ts"
import type { FolderLocked } from "./embedded/FolderLock.ts"
import { type MigrationFiles, migrate, migrations } from "./Migrations.ts"
import { PostgresRefused } from "./PostgresRefused.ts"
import { makeShortClient } from "./ShortClient.ts"

/**
 * The client for what clients read in large amounts: lists and output. Its connections are not shared between
 * statements, so a long statement delays no others. A statement reads a page (`Pages.ts`): no connection is held while
 * somebody takes what was read. What the gateway reads for itself uses `SqlClient`, which lists do not delay.
 */
export class WideSql extends Context.Service<WideSql, PgClient.PgClient>()("flow-gateway/layers/WideSql") {}

/** Statements of requests. The server cancels a statement when the deadline of its request has passed. */
export const short = {
  statementTimeout: String(storageDeadline),
  patience: { silence: 1500, probe: 1000, limit: connectionSilence } satisfies Patience
}

/** A page of a list has a deadline of its own; a statement that is cancelled ends by it. */
const wide = {
  statementTimeout: "30min",
  patience: { silence: 1500, probe: 1000 } satisfies Patience
}

/** A migration may take any time as long as the server responds. */
export const upkeep = { ...wide, statementTimeout: "0" }

const oldestServer = 150000

const mayEncrypt = (url: URL): boolean => ![null, "disable"].includes(url.searchParams.get("sslmode"))

/** The configuration of a client for statements of this kind. Its connections notice a silent server. */
export const clientConfig = (
  address: Redacted.Redacted<string>,
  use: typeof short | typeof wide
): PgClient.PgPoolConfig => {
  const url = new URL(Redacted.value(address))
  const target = targetOf(url)
  return {
    url: address,
    applicationName: "flow-gateway",
    connectTimeout: "2 seconds",
    startupParameters: {
      statement_timeout: use.statementTimeout,
      idle_in_transaction_session_timeout: String(idleTransaction),
      TimeZone: "UTC"
    },
    stream: () => connectWatched(target, use.patience, mayEncrypt(url)),
    // If enabled, keys inside jsonb would be renamed together with column names.
    transformJson: false
  }
}

const parseAddress = (address: Redacted.Redacted<string>): Effect.Effect<void, PostgresRefused> => {
  const url = URL.canParse(Redacted.value(address)) ? new URL(Redacted.value(address)) : undefined
  return url?.protocol === "postgres:" || url?.protocol === "postgresql:"
    ? Effect.void
    : new PostgresRefused({
        message: "FLOW_DATABASE_URL must be a URL such as postgres://user:password@host:5432/database"
      })
}

/** Checks the version and migrates the tables, on one connection without a statement timeout. */
const prepareDatabase = (address: Redacted.Redacted<string>, files: MigrationFiles) =>
  Effect.gen(function* () {
    const client = yield* PgClient.makeClient(clientConfig(address, upkeep))
    const [row] = yield* client<{ version: string }>`SELECT current_setting('server_version_num') AS version`
    if (Number(row?.version) < oldestServer) {
      const major = Math.floor(Number(row?.version) / 10_000)
      return yield* new PostgresRefused({ message: `PostgreSQL ${major} is too old: the gateway needs 15 or newer.` })
    }
    yield* Effect.provideService(migrate(files), SqlClient.SqlClient, client)
  }).pipe(
    Effect.scoped,
    // A database that starts together with the gateway has 30 seconds to accept connections.
    Effect.retry({
      while: (error) => error._tag === "SqlError" && isAway(error) && error.reason._tag !== "AuthenticationError",
      schedule: Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))
    }),
    Effect.catchTag(
      "SqlError",
      (error) => new PostgresRefused({ message: `PostgreSQL cannot be used: ${saidBy(error)}`, cause: error })
    )
  )

/** The two clients of a prepared database. */
const connect = Effect.fnUntraced(function* (
  address: Redacted.Redacted<string>,
  files: MigrationFiles
): Effect.fn.Return<
  Context.Context<SqlClient.SqlClient | PgClient.PgClient | WideSql>,
  PostgresRefused | SqlError,
  Scope.Scope | Reactivity.Reactivity
> {
  yield* parseAddress(address)
  yield* prepareDatabase(address, files)
  const client = yield* makeShortClient(clientConfig(address, short))
  const wideClient = yield* makeWatchedClient("lists", { ...clientConfig(address, wide), maxConnections: 12 })
  return Context.make(SqlClient.SqlClient, client as SqlClient.SqlClient).pipe(
    Context.add(PgClient.PgClient, client),
    Context.add(WideSql, wideClient)
  )
})

type Clients = SqlClient.SqlClient | PgClient.PgClient | WideSql

/** The clients of an external database, which is migrated to this version of the gateway. */
export const layerFromUrl = (
  address: Redacted.Redacted<string>,
  files: MigrationFiles = migrations
): Layer.Layer<Clients, PostgresRefused | SqlError> =>
  Layer.effectContext(connect(address, files)).pipe(Layer.provide(Reactivity.layer))

/**
 * The gateway's PostgreSQL: an external one (15 or newer) at `databaseUrl`, else the embedded one, in the subfolder
 * `postgres` of the gateway's data folder. Building the layer migrates the tables. `SqlClient` (and `PgClient`, the same client) serves short statements and transactions of
 * requests, `WideSql` long results. Both reconnect after an outage.
 */
export const layer = (
  databaseUrl: string | undefined,
  dataFolder: string
): Layer.Layer<Clients, EmbeddedPostgresError | FolderLocked | PostgresRefused | SqlError> =>
  databaseUrl === undefined
    ? Layer.unwrap(Effect.map(startEmbedded({ folder: dataFolder }), ({ url }) => layerFromUrl(url)))
    : layerFromUrl(Redacted.make(databaseUrl))
