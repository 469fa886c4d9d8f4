import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { migrate } from "../../src/layers/postgres/Migrations.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import { startTestServer } from "./postgresServer.ts"
import { patience } from "./process.ts"

/** The run's server from `globalSetup.ts`, or a server for this file alone where that is not configured. */
const server: Effect.Effect<Redacted.Redacted<string>, unknown, Scope.Scope> = Effect.suspend(() => {
  const url: string | undefined = inject("postgresUrl")
  return url === undefined ? startTestServer : Effect.succeed(Redacted.make(url))
})

const withDatabase = (url: Redacted.Redacted<string>, database: string): Redacted.Redacted<string> => {
  const changed = new URL(Redacted.value(url))
  changed.pathname = `/${database}`
  return Redacted.make(changed.href)
}

/** The name of the migrated template depends on the text of the migrations. */
const templateName = (): string => {
  const folder = new URL("../../migrations/", import.meta.url)
  const list = new URL("../../src/layers/postgres/Migrations.ts", import.meta.url)
  const hash = createHash("sha256").update(readFileSync(list))
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(new URL(name, folder)))
  return `template_${hash.digest("hex").slice(0, 16)}`
}

const templateLock = 7_405_101

const exists = (admin: PgClient.PgClient, database: string) =>
  Effect.map(admin`SELECT 1 FROM pg_database WHERE datname = ${database}`, (rows) => rows.length > 0)

/** Built under another name, so that nobody can see an incomplete template. */
const ensureTemplate = Effect.fnUntraced(function* (admin: PgClient.PgClient, url: Redacted.Redacted<string>) {
  const template = templateName()
  if (yield* exists(admin, template)) return template
  yield* Effect.acquireUseRelease(
    admin`SELECT pg_advisory_lock(${templateLock})`,
    () =>
      Effect.gen(function* () {
        if (yield* exists(admin, template)) return
        const making = `${template}_making`
        yield* admin`DROP DATABASE IF EXISTS ${admin(making)}`
        yield* admin`CREATE DATABASE ${admin(making)}`
        const client = PgClient.makeClient({ url: withDatabase(url, making), connectTimeout: patience })
        yield* Effect.scoped(
          Effect.flatMap(client, (sql) => Effect.provideService(migrate(), SqlClient.SqlClient, sql))
        )
        // The migrating session may take a moment to disconnect.
        yield* Effect.retry(admin`ALTER DATABASE ${admin(making)} RENAME TO ${admin(template)}`, { times: 100 })
      }),
    () => Effect.ignore(admin`SELECT pg_advisory_unlock(${templateLock})`)
  )
  return template
})

const createDatabase = Effect.fnUntraced(
  function* (template: (admin: PgClient.PgClient, url: Redacted.Redacted<string>) => Effect.Effect<string, unknown>) {
    const url = yield* server
    const admin = yield* PgClient.makeClient({ url, connectTimeout: patience })
    const source = yield* template(admin, url)
    const database = `test_${randomBytes(8).toString("hex")}`
    yield* Effect.acquireRelease(
      Effect.uninterruptible(admin`CREATE DATABASE ${admin(database)} TEMPLATE ${admin(source)}`),
      () => Effect.ignore(admin`DROP DATABASE IF EXISTS ${admin(database)} WITH (FORCE)`)
    )
    return withDatabase(url, database)
  },
  Effect.provide(Reactivity.layer),
  Effect.orDie
)

/**
 * A fresh, migrated, empty database on the run's server; dropped when the scope closes.
 *
 * @returns its address
 */
export const freshDatabase: Effect.Effect<Redacted.Redacted<string>, never, Scope.Scope> = createDatabase(
  (admin, url) => Effect.provide(ensureTemplate(admin, url), Reactivity.layer)
)

/** The same without tables. */
export const emptyDatabase: Effect.Effect<Redacted.Redacted<string>, never, Scope.Scope> = createDatabase(() =>
  Effect.succeed("template0")
)

/**
 * The production clients (`SqlClient`, `PgClient`, `WideSql`) on a fresh database. Each use of the layer creates one:
 * `layer(TestPostgres)("…", (it) => …)` shares it among the tests of the block.
 */
export const TestPostgres = Layer.unwrap(Effect.map(freshDatabase, (url) => Layer.orDie(layerFromUrl(url))))
