import { PgClient } from "@effect/sql-pg"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { unreachable } from "../../src/drivers/postgres/Unreachable.ts"
import { TestPostgres } from "../support/postgres.ts"

const made = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE IF NOT EXISTS notes (text text UNIQUE)`)

const texts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ text: string }>`SELECT text FROM notes ORDER BY text`
  return rows.map(({ text }) => text)
})

const write = (text: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO notes VALUES (${text})`)

const emptied = Effect.andThen(
  made,
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`TRUNCATE notes`)
)

describe("transactions", () => {
  layer(TestPostgres)("of SqlClient", (it) => {
    it.effect("show their rows to others only once committed", () =>
      Effect.gen(function* () {
        yield* emptied
        const sql = yield* SqlClient.SqlClient
        const outside = yield* Effect.context<SqlClient.SqlClient>()
        const seen = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* write("a")
            expect(yield* texts).toEqual(["a"])
            return yield* Effect.promise(() => Effect.runPromiseWith(outside)(texts))
          })
        )
        expect(seen).toEqual([])
        expect(yield* texts).toEqual(["a"])
      })
    )

    it.effect("are undone by a failure, to the savepoint when nested", () =>
      Effect.gen(function* () {
        yield* emptied
        const sql = yield* SqlClient.SqlClient
        const inner = sql.withTransaction(Effect.andThen(write("inner"), Effect.fail("no")))
        yield* sql.withTransaction(Effect.andThen(write("outer"), Effect.flip(inner)))
        expect(yield* texts).toEqual(["outer"])
        yield* Effect.flip(sql.withTransaction(Effect.andThen(write("gone"), Effect.fail("no"))))
        expect(yield* texts).toEqual(["outer"])
      })
    )

    it.effect("do not pretend to commit after a swallowed error", () =>
      Effect.gen(function* () {
        yield* emptied
        const sql = yield* SqlClient.SqlClient
        const swallowing = sql.withTransaction(Effect.andThen(write("x"), Effect.ignore(write("x"))))
        expect((yield* Effect.flip(swallowing)).reason.message).toContain("COMMIT rolled it back")
        expect(yield* texts).toEqual([])
      })
    )

    it.effect("give a unique violation its name", () =>
      Effect.gen(function* () {
        yield* emptied
        const twice = Effect.andThen(write("x"), write("x")).pipe(
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed("taken")),
          unreachable
        )
        expect(yield* twice).toBe("taken")
      })
    )

    it.effect("do not wait behind slow statements of others, nor do other statements", () =>
      Effect.gen(function* () {
        yield* emptied
        const sql = yield* SqlClient.SqlClient
        const slow = yield* Effect.forkChild(
          Effect.all(
            [1, 2, 3].map(() => sql`SELECT pg_sleep(20)`),
            { concurrency: "unbounded" }
          )
        )
        const began = performance.now()
        yield* sql.withTransaction(write("quick"))
        yield* Effect.all(
          ["a", "b", "c", "d"].map((text) => write(text)),
          { concurrency: "unbounded" }
        )
        expect(performance.now() - began).toBeLessThan(15_000)
        // What was given up is still under way, and nobody is sent behind it.
        yield* Fiber.interrupt(slow)
        yield* write("later")
        expect(performance.now() - began).toBeLessThan(15_000)
      })
    )

    it.effect("wait for one another when there are more than connections", () =>
      Effect.gen(function* () {
        yield* emptied
        const sql = yield* SqlClient.SqlClient
        yield* Effect.forEach(
          Array.from({ length: 60 }, (_, n) => `n${n}`),
          (text) => unreachable(sql.withTransaction(write(text))),
          { concurrency: "unbounded" }
        )
        expect(yield* texts).toHaveLength(60)
      })
    )

    it.effect("hear notifications, which come when the sender commits", () =>
      Effect.gen(function* () {
        const pg = yield* PgClient.PgClient
        const heard = yield* pg.listen("news")
        yield* pg.withTransaction(pg.notify("news", "hello"))
        expect(yield* Queue.take(heard)).toMatchObject({ channel: "news", payload: "hello" })
      })
    )
  })
})
