import { existsSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { openCluster, superuser } from "./embedded/DatabaseCluster.ts"
import { startEmbedded } from "./embedded/Embedded.ts"
import type { EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.ts"
import type { FolderLocked } from "./embedded/FolderLock.ts"
import { lockFile } from "./embedded/Shutdown.ts"
import { clientConfig, upkeep } from "./Postgres.ts"
import { PostgresRefused } from "./PostgresRefused.ts"

/** The address of the embedded database that a running gateway has started; its lock file names the port. */
const ofRunningGateway = Effect.fnUntraced(function* (folder: string) {
  const cluster = yield* openCluster(folder)
  const port = lockFile(cluster)[3]?.trim()
  if (port === undefined) {
    return yield* new PostgresRefused({
      message: `The gateway on ${folder} has not started its database yet. Try again.`
    })
  }
  return Redacted.make(`postgres://${superuser}:${cluster.password}@127.0.0.1:${port}/postgres`)
})

const embedded = Effect.fnUntraced(function* (folder: string) {
  if (!existsSync(join(folder, "postgres/data/PG_VERSION"))) {
    const message = `There is no database in ${folder}: set FLOW_DATABASE_URL, or FLOW_DATA to the gateway's data folder.`
    return yield* new PostgresRefused({ message })
  }
  const started = yield* Effect.result(startEmbedded({ folder }))
  if (started._tag === "Success") return started.success.url
  const { failure } = started
  // A pid is known of a lock that another process holds.
  return failure._tag === "FolderLocked" && failure.pid !== undefined ? yield* ofRunningGateway(folder) : yield* failure
})

/**
 * A client for the commands of operators: of the database at the address, else of the embedded one of the data folder,
 * which is started if no gateway runs on it. The tables stay as they are.
 */
export const connectForCommand = (given: {
  readonly databaseUrl: string | undefined
  readonly dataFolder: string
}): Effect.Effect<PgClient.PgClient, EmbeddedPostgresError | FolderLocked | PostgresRefused | SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const { databaseUrl, dataFolder } = given
    const url = databaseUrl === undefined ? yield* embedded(dataFolder) : Redacted.make(databaseUrl)
    return yield* PgClient.makeClient(clientConfig(url, upkeep))
  }).pipe(Effect.provide(Reactivity.layer))
