import { hostname } from "node:os"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { giveBack, layer as storeLayer } from "../../src/layers/postgres/stores/PostgresIdempotencyStore.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import {
  IdempotencyKey,
  IdempotencyStore,
  type KeyState
} from "../../src/services/shared/idempotency/IdempotencyStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"

const tenant = TenantId("mytenant")

/** The store of a gateway that is entered in the table of gateways. */
const storeOf = (id: string, { host = "elsewhere", pid = 1 } = {}) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into gateways (id, host, pid, address, seen_at) values (${id}, ${host}, ${pid}, ${id}, now())`
    const gateway = Layer.succeed(Gateway, { id, name: id, address: id })
    const context = yield* Layer.build(Layer.fresh(storeLayer).pipe(Layer.provide(gateway)))
    const store = yield* Effect.provide(IdempotencyStore, context)
    return {
      ...store,
      begin: (key: string, request = "request") => store.begin(tenant, IdempotencyKey(key), request)
    }
  })

const claimOf = (begun: KeyState) => (begun._tag === "New" ? Effect.succeed(begun.claim) : Effect.die(begun._tag))
const tagOf = Effect.map(({ _tag }: KeyState) => _tag)

/** Writes a row of a table that no constraint guards. */
const write = (text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.as(Effect.orDie(sql`insert into work values (${text})`), text))
const written = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ text: string }>`select text from work order by text`, (rows) => rows.map(({ text }) => text))
)
const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql`create table if not exists work (text text)`, sql`truncate work, idempotency, gateways cascade`)
)

layer(TestPostgres, { excludeTestServices: true })("idempotency keys of several gateways", (it) => {
  it.effect("are held by the one that works, and by nobody when it is gone: then it can write nothing more", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [yield* storeOf("one"), yield* storeOf("other")]
      const claim = yield* claimOf(yield* one.begin("k"))
      expect([yield* tagOf(one.begin("k")), yield* tagOf(other.begin("k"))]).toEqual(["InProgress", "InProgress"])
      expect(yield* tagOf(other.begin("k", "another"))).toBe("Different")
      // A gateway that is frozen for long leaves the table, and may wake up later.
      yield* sql`delete from gateways where id = 'one'`
      expect(yield* tagOf(other.begin("k", "another"))).toBe("Different")
      const taken = yield* claimOf(yield* other.begin("k"))
      const refused = yield* Effect.flip(one.commit(claim, write("one"), () => "one"))
      expect(refused).toMatchObject({ status: 409, state: "IN_PROGRESS" })
      yield* one.end(claim, "Refused")
      expect(yield* tagOf(one.begin("k"))).toBe("InProgress")
      yield* other.commit(taken, write("other"), (made) => `answer ${made}`)
      yield* other.end(taken, "Answered")
      expect(yield* written).toEqual(["other"])
      expect(yield* one.begin("k")).toEqual({ _tag: "Answered", answer: "answer other" })
    })
  )

  it.effect("are free at once when the process of their gateway on this host has ended", () =>
    Effect.gen(function* () {
      yield* emptied
      const host = hostname()
      // No process has this number: it exceeds Linux's maximum.
      const dead = yield* storeOf("dead", { host, pid: 2 ** 22 + 1 })
      const alive = yield* storeOf("alive", { host, pid: process.ppid })
      const here = yield* storeOf("here", { host, pid: process.pid })
      yield* dead.begin("a")
      yield* alive.begin("b")
      yield* here.begin("c")
      expect([yield* tagOf(here.begin("a")), yield* tagOf(here.begin("b")), yield* tagOf(here.begin("c"))]).toEqual([
        "New",
        "InProgress",
        "InProgress"
      ])
    })
  )

  it.effect("are free also when their gateway leaves while a repeat looks", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [yield* storeOf("one"), yield* storeOf("other")]
      yield* one.begin("k")
      const [locked, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lock = yield* sql`select 1 from idempotency for update`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(go)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(locked)
      const repeat = yield* Effect.forkChild(tagOf(other.begin("k")))
      // The repeat has begun its first statement, which still sees the gateway.
      const waits = sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      yield* until(waits, (rows) => rows.length > 0)
      yield* sql`delete from gateways where id = 'one'`
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(lock)
      expect(yield* Fiber.join(repeat)).toBe("New")
    })
  )

  it.effect("wait for a repeat after an unknown end, and for anything after a refusal", () =>
    Effect.gen(function* () {
      yield* emptied
      const [one, other] = [yield* storeOf("one"), yield* storeOf("other")]
      yield* one.end(yield* claimOf(yield* one.begin("unknown")), "Unknown")
      yield* one.end(yield* claimOf(yield* one.begin("refused")), "Refused")
      expect([
        yield* tagOf(other.begin("unknown", "another")),
        yield* tagOf(other.begin("unknown")),
        yield* tagOf(other.begin("refused", "another"))
      ]).toEqual(["Different", "New", "New"])
    })
  )

  it.effect("are given back by the gateway that holds them without working on them", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [yield* storeOf("one"), yield* storeOf("other")]
      const kept = yield* claimOf(yield* one.begin("kept"))
      // What is left when the end of a request could not be written.
      for (const key of ["lost", "young"]) yield* one.begin(key)
      yield* sql`update idempotency set begun_at = now() - interval '1 minute' where key <> 'young'`
      yield* giveBack(sql, "one", new Set([kept.token]))
      const keys = ["kept", "lost", "young"]
      expect(yield* Effect.forEach(keys, (key) => tagOf(other.begin(key)))).toEqual(["InProgress", "New", "InProgress"])
    })
  )
})
