import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { saidBy } from "../../drivers/postgres/SqlState.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { PostgresRefused } from "./PostgresRefused.ts"

/**
 * The migration files in `/migrations` by name, with a function that loads each. They are written out so that the
 * bundler finds them.
 */
export type MigrationFiles = Readonly<Record<string, () => Promise<unknown>>>

/** All migrations, oldest first. To add one, add its file and a line here. Never change a released migration. */
export const migrations: MigrationFiles = {
  "0001_flowlines.ts": () => import("../../../migrations/0001_flowlines.ts"),
  "0002_executions.ts": () => import("../../../migrations/0002_executions.ts"),
  "0003_archives.ts": () => import("../../../migrations/0003_archives.ts"),
  "0004_idempotency.ts": () => import("../../../migrations/0004_idempotency.ts"),
  "0005_resources.ts": () => import("../../../migrations/0005_resources.ts"),
  "0007_positions.ts": () => import("../../../migrations/0007_positions.ts"),
  "0008_search.ts": () => import("../../../migrations/0008_search.ts"),
  "0009_channels.ts": () => import("../../../migrations/0009_channels.ts"),
  "0010_idempotency_claims.ts": () => import("../../../migrations/0010_idempotency_claims.ts"),
  "0011_cluster_shards.ts": () => import("../../../migrations/0011_cluster_shards.ts"),
  "0012_appended.ts": () => import("../../../migrations/0012_appended.ts"),
  "0015_pending_executions.ts": () => import("../../../migrations/0015_pending_executions.ts"),
  "0016_counters.ts": () => import("../../../migrations/0016_counters.ts"),
  "0017_installation.ts": () => import("../../../migrations/0017_installation.ts"),
  "0018_retention.ts": () => import("../../../migrations/0018_retention.ts"),
  "0020_job_work.ts": () => import("../../../migrations/0020_job_work.ts"),
  "0022_search_words.ts": () => import("../../../migrations/0022_search_words.ts"),
  "0023_api_keys.ts": () => import("../../../migrations/0023_api_keys.ts"),
  "0024_limits.ts": () => import("../../../migrations/0024_limits.ts"),
  "0026_audit.ts": () => import("../../../migrations/0026_audit.ts"),
  "0027_secrets.ts": () => import("../../../migrations/0027_secrets.ts"),
  "0028_outcomes.ts": () => import("../../../migrations/0028_outcomes.ts"),
  "0029_flowline_texts.ts": () => import("../../../migrations/0029_flowline_texts.ts"),
  "0031_schedules.ts": () => import("../../../migrations/0031_schedules.ts"),
  "0032_search_types.ts": () => import("../../../migrations/0032_search_types.ts"),
  "0033_sessions.ts": () => import("../../../migrations/0033_sessions.ts"),
  "0034_counted_by_statement.ts": () => import("../../../migrations/0034_counted_by_statement.ts")
}

const table = "flow_migrations"

/** The lock that is held during a migration: of gateways that start together, one migrates. */
const advisoryLock = 0x666c6f77

/**
 * Migrates the tables to this version of the gateway, in one transaction. Needs a connection of its own, because the
 * lock belongs to the session, without a statement timeout.
 */
export const migrate = Effect.fn("Migrations.migrate")(function* (
  files: MigrationFiles = migrations
): Effect.fn.Return<void, PostgresRefused | SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.acquireUseRelease(
    sql`SELECT pg_advisory_lock(${advisoryLock})`,
    () => Effect.andThen(refuseForeign(sql, files), run(files)),
    () => Effect.ignore(sql`SELECT pg_advisory_unlock(${advisoryLock})`)
  )
})

const run = (files: MigrationFiles) =>
  Migrator.make({})({ loader: Migrator.fromGlob({ ...files }), table }).pipe(
    Effect.catchTag("MigrationError", (error) => {
      const { cause, message } = error
      const said = cause instanceof SqlError ? saidBy(cause) : cause === undefined ? undefined : messageOf(cause)
      const reason = said === undefined ? message : `${message}: ${said}`
      return new PostgresRefused({ message: `The database cannot be migrated: ${reason}`, cause: error })
    }),
    Effect.flatMap((done) =>
      done.length === 0
        ? Effect.void
        : Effect.logInfo(`Migrated the database: ${done.map(([id, name]) => `${id} ${name}`).join(", ")}`)
    )
  )

/** Fails for the tables of a newer gateway, or of one with a different history. Changes nothing. */
export const refuseForeign = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  files: MigrationFiles = migrations
): Effect.fn.Return<void, PostgresRefused | SqlError> {
  const [found] = yield* sql<{ found: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS found`
  if (found?.found !== true) return
  const applied = yield* sql<{ id: number; name: string }>`
    SELECT migration_id AS id, name FROM ${sql(table)} ORDER BY migration_id`
  const known = new Map((yield* Effect.orDie(Migrator.fromGlob({ ...files }))).map(([id, name]) => [id, name]))
  const strange = applied.find(({ id, name }) => known.get(id) !== name)
  const newest = applied.at(-1)?.id ?? 0
  if (strange !== undefined) {
    const problem =
      strange.id > Math.max(0, ...known.keys()) ? "is newer than this version of the gateway" : "has another history"
    return yield* new PostgresRefused({
      message: `The database ${problem}: it has migration ${strange.id} ${strange.name}, unknown here. Nothing was changed.`
    })
  }
  const skipped = [...known].find(([id]) => id < newest && !applied.some((row) => row.id === id))
  if (skipped !== undefined) {
    return yield* new PostgresRefused({
      message: `The database has another history: it lacks migration ${skipped[0]} ${skipped[1]}, but has later ones.`
    })
  }
})
