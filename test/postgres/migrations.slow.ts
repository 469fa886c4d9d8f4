import { readdirSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { migrate, migrations } from "../../src/layers/postgres/Migrations.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import { emptyDatabase } from "../support/postgres.ts"
import { patience, runFile } from "../support/process.ts"

const makesTable = (name: string) => async () => ({
  default: Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE ${sql(name)} (id int)`)
})

const fails = async () => ({
  default: Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE ghost (id nonsense)`)
})

const first = { "0001_first.ts": makesTable("first") }
const second = { ...first, "0002_second.ts": makesTable("second") }

/** Runs the test with a plain client on an empty database. */
const onEmptyDatabase = <A, E>(test: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* Effect.provideServiceEffect(
      test,
      SqlClient.SqlClient,
      PgClient.makeClient({ url, connectTimeout: patience })
    )
  }).pipe(Effect.provide(Reactivity.layer))

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY name`
  return found.map(({ name }) => name)
})

describe("migrations", () => {
  it("are all listed", () => {
    const files = readdirSync(new URL("../../migrations/", import.meta.url)).filter((name) => /^\d+_.*\.ts$/.test(name))
    expect(Object.keys(migrations)).toEqual(files.sort())
  })

  it.live("run once, whatever gateways start at the same time", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* emptyDatabase)
      const started = [1, 2, 3].map(() => runFile(new URL("./migrating.ts", import.meta.url), [url]))
      yield* Effect.promise(() => Promise.all(started.map((one) => one.exit)))
      expect(started.flatMap(({ lines }) => lines).filter((line) => !line.includes("Migrated"))).toEqual([
        "done",
        "done",
        "done"
      ])
      expect(started.flatMap(({ lines }) => lines).filter((line) => line.includes("Migrated"))).toHaveLength(1)
    })
  )

  it.live("bring an older database forward", () =>
    onEmptyDatabase(
      Effect.gen(function* () {
        yield* migrate(first)
        yield* migrate(second)
        yield* migrate(second)
        expect(yield* tables).toEqual(["first", "flow_migrations", "second"])
      })
    )
  )

  it.live("leave the database as it was when one fails", () =>
    onEmptyDatabase(
      Effect.gen(function* () {
        yield* migrate(first)
        const refused = yield* Effect.flip(migrate({ ...second, "0003_third.ts": fails }))
        expect(refused.message).toContain("3_third")
        expect(refused.message).toContain('type "nonsense" does not exist')
        expect(yield* tables).toEqual(["first", "flow_migrations"])
        yield* migrate(second)
        expect(yield* tables).toEqual(["first", "flow_migrations", "second"])
      })
    )
  )

  it.live("keep the definitions of executions whose flowlines were deleted, and count what is there", () =>
    onEmptyDatabase(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = Object.entries(migrations).filter(([name]) => name < "0010")
        yield* migrate(Object.fromEntries(before))
        yield* sql`insert into flowlines (tenant, id, version, saved) values ('t', 'here', 1, true), ('t', 'once', 1, false)`
        yield* sql`
          insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
          values ('t', 'here', 1, '{"here":1}', 'p', now()), ('t', 'once', 1, '{"once":1}', 'p', now())`
        yield* sql`
          insert into executions (tenant, id, flowline_id, version, runtime, dag, state, ended_at)
          values ('t', 'a', 'here', 1, 'stream', '{"here":1}', 'SUCCEEDED', now()),
            ('t', 'b', 'gone', 2, 'stream', '{"gone":2}', 'FAILED', now()),
            ('t', 'c', 'gone', 3, 'stream', '{"gone":3}', 'RUNNING', null)`
        yield* sql`insert into execution_output values ('t', 'a', 1, now(), 'show', 'four')`
        yield* migrate(migrations)
        const rows = yield* sql`
          select e.id, v.dag, e.output_bytes::integer as bytes, f.saved
          from executions e join flowline_versions v on (v.tenant, v.id, v.version) = (e.tenant, e.flowline_id, e.version)
            join flowlines f on (f.tenant, f.id) = (v.tenant, v.id)
          order by e.id`
        expect(rows).toEqual([
          { id: "a", dag: '{"here":1}', bytes: 8, saved: true },
          { id: "b", dag: '{"gone":2}', bytes: 0, saved: false },
          { id: "c", dag: '{"gone":3}', bytes: 0, saved: false }
        ])
        expect(yield* sql`select kind, number::integer, bytes::integer from history_usage`).toEqual([
          { kind: "executions", number: 2, bytes: 8 }
        ])
      })
    )
  )

  it.live("refuse a database that is newer than the gateway", () =>
    onEmptyDatabase(
      Effect.gen(function* () {
        yield* migrate(second)
        const refused = yield* Effect.flip(migrate(first))
        expect(refused).toMatchObject({ _tag: "PostgresRefused" })
        expect(refused.message).toContain("newer than this version of the gateway")
        expect(refused.message).toContain("2 second")
      })
    )
  )

  it.live("refuse a database of another history", () =>
    onEmptyDatabase(
      Effect.gen(function* () {
        yield* migrate({ "0002_second.ts": makesTable("second") })
        expect((yield* Effect.flip(migrate(second))).message).toContain("lacks migration 1 first")
        expect((yield* Effect.flip(migrate({ "0002_other.ts": fails }))).message).toContain("another history")
      })
    )
  )
})

describe("an outside PostgreSQL", () => {
  const opening = (address: string) => Effect.flip(Effect.scoped(Layer.build(layerFromUrl(Redacted.make(address)))))

  it.live("needs a usable address", () =>
    Effect.gen(function* () {
      const refused = yield* opening("mysql://localhost/flow")
      expect(refused.message).toContain("DATABASE_URL")
    })
  )

  it.live("is refused at once with a wrong password, without showing it", () =>
    Effect.gen(function* () {
      const wrong = new URL(Redacted.value(yield* emptyDatabase))
      wrong.password = "not-the-password"
      const refused = yield* opening(wrong.href)
      expect(refused._tag).toBe("PostgresRefused")
      expect(refused.message).toContain("password authentication failed")
      expect(refused.message).not.toContain("not-the-password")
    })
  )
})
