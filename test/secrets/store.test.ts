import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresSecretStore from "../../src/layers/postgres/stores/PostgresSecretStore.ts"
import { keyLine } from "../../src/layers/secrets/KeyFile.ts"
import * as SecretKeys from "../../src/layers/secrets/SecretKeys.ts"
import { SecretStore } from "../../src/services/secrets/SecretStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { testSettings } from "../support/gateway.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"

const tenant = TenantId("mytenant")
const other = TenantId("other")
const line = (id: string, seed: number) => `${keyLine(id, new Uint8Array(32).fill(seed))}\n`
const [first, second, third] = [line("first", 1), line("second", 2), line("third", 3)]

/** The store of a separate gateway, whose file has these keys. */
const withKeys = <A, E, R>(file: string | undefined, use: (store: SecretStore["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "flow-keys-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const keyFile = file === undefined ? undefined : join(folder, "keys")
    if (keyFile !== undefined) writeFileSync(keyFile, file!, { mode: 0o600 })
    const settings = testSettings({
      databaseUrl: "postgres://unused",
      data: folder,
      secrets: { folder: undefined, keyFile }
    })
    const built = yield* Layer.build(
      PostgresSecretStore.layer.pipe(Layer.provide(SecretKeys.layer), Layer.provide(settings))
    )
    return yield* Effect.flatMap(SecretStore, use).pipe(Effect.provide(built))
  }).pipe(Effect.scoped)

const secret = (text: string) => Redacted.make(text)
const put = (store: SecretStore["Service"], name: string, text: string, of = tenant) =>
  store.put(of, name, secret(text), "user:alice", 1000)
const read = (store: SecretStore["Service"], name: string, of = tenant) =>
  Effect.map(Effect.result(store.read(of, name)), (result) => {
    if (Result.isFailure(result)) return "detail" in result.failure ? `unusable: ${result.failure.detail}` : "away"
    return result.success === undefined ? undefined : Redacted.value(result.success)
  })

layer(TestPostgres, { excludeTestServices: true })("the store of secrets", (it) => {
  it.effect("keeps a value that only the keys can read", () =>
    withKeys(first, (store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* read(store, "TOKEN")).toBeUndefined()
        yield* put(store, "TOKEN", "correct horse")
        yield* put(store, "TOKEN", "battery staple ✓")
        yield* put(store, "TOKEN", "of another", other)
        expect(yield* read(store, "TOKEN")).toBe("battery staple ✓")
        expect(yield* store.list(tenant)).toEqual([
          { name: "TOKEN", keyId: "first", setBy: "user:alice", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) }
        ])
        const rows = yield* sql<{ nonce: Uint8Array; ciphertext: Uint8Array; text: string }>`
          select nonce, ciphertext, s::text as text from secrets s`
        for (const { text, ciphertext, nonce } of rows) {
          expect(nonce.length).toBe(12)
          expect(Buffer.from(ciphertext).toString("latin1")).not.toMatch(/correct|battery|another/)
          expect(text).not.toMatch(/correct|battery|another/)
        }
        expect(new Set(rows.map(({ nonce }) => Buffer.from(nonce).toString("hex"))).size).toBe(2)
        expect(yield* store.remove(tenant, "TOKEN")).toBe(true)
        expect(yield* store.remove(tenant, "TOKEN")).toBe(false)
        expect(yield* read(store, "TOKEN")).toBeUndefined()
        expect(yield* read(store, "TOKEN", other)).toBe("of another")
        yield* store.remove(other, "TOKEN")
      })
    )
  )

  it.effect("refuses rows that were changed, or copied to another name or tenant", () =>
    withKeys(first, (store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* put(store, "A", "value of a")
        yield* put(store, "B", "value of b")
        const kept = yield* sql<{ ciphertext: Uint8Array; nonce: Uint8Array; version: string }>`
          select ciphertext, nonce, version::text as version from secrets where name = 'A'`
        const copy = sql`insert into secrets select 'other', name, version, key_id, nonce, ciphertext, set_at, set_by from secrets where name = 'A'`
        yield* copy
        expect(yield* read(store, "A", other)).toMatch(
          /^unusable: the stored secret A of other cannot be decrypted: its row was changed/
        )
        yield* sql`update secrets set ciphertext = (select ciphertext from secrets where name = 'B'), nonce = (select nonce from secrets where name = 'B') where name = 'A' and tenant = 'mytenant'`
        expect(yield* read(store, "A")).toMatch(/cannot be decrypted/)
        yield* sql`update secrets set ciphertext = ${kept[0]!.ciphertext}, nonce = ${kept[0]!.nonce} where name = 'A' and tenant = 'mytenant'`
        expect(yield* read(store, "A")).toBe("value of a")
        yield* sql`update secrets set version = version + 1000000 where name = 'A' and tenant = 'mytenant'`
        expect(yield* read(store, "A")).toMatch(/cannot be decrypted/)
        yield* sql`update secrets set version = version - 1000000, ciphertext = set_byte(ciphertext, 3, get_byte(ciphertext, 3) # 1) where name = 'A' and tenant = 'mytenant'`
        const broken = yield* read(store, "A")
        expect(broken).toMatch(/cannot be decrypted/)
        expect(broken).not.toContain("value of")
        expect(yield* read(store, "B")).toBe("value of b")
        // The next value mends it.
        yield* put(store, "A", "new value")
        expect(yield* read(store, "A")).toBe("new value")
        yield* sql`delete from secrets`
      })
    )
  )

  it.effect("has a limit for each tenant, which a replacement does not reach", () =>
    withKeys(first, (store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const most = (name: string) => store.put(tenant, name, secret("value"), "x", 2)
        expect([yield* most("A"), yield* most("B"), yield* most("C"), yield* most("A")]).toEqual([
          "stored",
          "stored",
          "full",
          "stored"
        ])
        yield* sql`delete from secrets`
      })
    )
  )

  it.effect("makes or replaces a value only where that is allowed, also at once", () =>
    withKeys(first, (store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const given = (text: string, present: boolean, absent: boolean) =>
          store.put(tenant, "TOKEN", secret(text), "x", 1, { present, absent })
        expect(yield* given("a", true, false)).toBe("excluded")
        expect(yield* given("a", false, false)).toBe("excluded")
        const made = Array.from({ length: 8 }, (_, index) => given(`value ${index}`, false, true))
        const answers = yield* Effect.all(made, { concurrency: 8 })
        expect(answers.toSorted()).toEqual([...Array.from({ length: 7 }, () => "excluded"), "stored"])
        expect(yield* read(store, "TOKEN")).toBe(`value ${answers.indexOf("stored")}`)
        expect(yield* given("b", true, false)).toBe("stored")
        expect(yield* given("c", false, false)).toBe("excluded")
        expect(yield* read(store, "TOKEN")).toBe("b")
        expect(yield* store.put(tenant, "OTHER", secret("c"), "x", 1, { present: false, absent: true })).toBe("full")
        yield* sql`delete from secrets`
      })
    )
  )

  it.effect("keeps one of several values that come at once", () =>
    withKeys(first, (store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const values = Array.from({ length: 20 }, (_, index) => `value ${index}`)
        const kept = yield* Effect.forEach(values, (text) => put(store, "TOKEN", text), { concurrency: 20 })
        expect(kept).toEqual(values.map(() => "stored"))
        expect(values).toContain(yield* read(store, "TOKEN"))
        yield* sql`delete from secrets`
      })
    )
  )

  it.effect("encrypts anew with a new first key, by two gateways at once and while values change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const names = Array.from({ length: 120 }, (_, index) => `NAME_${index}`)
      yield* withKeys(first, (store) => Effect.forEach(names, (name) => put(store, name, `value of ${name}`)))
      yield* withKeys(third, (store) => put(store, "FOREIGN", "value"))
      yield* sql`update secrets set ciphertext = '\\x00' where name = 'NAME_7'`
      yield* withKeys(second + first, (one) =>
        withKeys(second + first, (two) =>
          Effect.gen(function* () {
            expect([...(yield* one.keyUse)]).toEqual([
              ["current", 0],
              ["old", 120],
              ["missing", 1]
            ])
            const changes = Effect.forEach(names.slice(10, 30), (name) => put(two, name, `new ${name}`), {
              concurrency: 4
            })
            yield* Effect.all([one.rotate, two.rotate, changes], { concurrency: 3 })
            expect([...(yield* one.keyUse)]).toEqual([
              ["current", 119],
              ["old", 1],
              ["missing", 1]
            ])
          })
        )
      )
      yield* withKeys(second, (store) =>
        Effect.gen(function* () {
          for (const [index, name] of names.entries()) {
            const expected = index >= 10 && index < 30 ? `new ${name}` : `value of ${name}`
            if (index === 7)
              expect(yield* read(store, name)).toMatch(/needs the key first, which FLOW_SECRETS_KEY_FILE does not have/)
            else expect(yield* read(store, name)).toBe(expected)
          }
          expect((yield* store.list(tenant)).find(({ name }) => name === "NAME_1")).toMatchObject({
            keyId: "second",
            setBy: "user:alice"
          })
        })
      )
      yield* sql`delete from secrets`
    })
  )

  it.effect("keeps a value whose row is encrypted anew while it is being set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* withKeys(first, (store) => put(store, "TOKEN", "before"))
      // A new value waits before it is written, with the number of its version.
      yield* sql`create function hold() returns trigger language plpgsql
        as 'begin perform pg_advisory_xact_lock_shared(42); return new; end'`
      yield* sql`create trigger hold before insert on secrets for each row execute function hold()`
      const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* sql`select pg_advisory_xact_lock(42)`.pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Deferred.await(release)),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(held)
      yield* withKeys(second + first, (store) =>
        Effect.gen(function* () {
          const setting = yield* Effect.forkChild(put(store, "TOKEN", "after"))
          const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted`
          yield* until(waiting, ({ length }) => length === 1)
          yield* store.rotate
          yield* Deferred.succeed(release, undefined)
          expect(yield* Fiber.join(setting)).toBe("stored")
          expect(yield* read(store, "TOKEN")).toBe("after")
        })
      )
      yield* sql`drop function hold cascade`
      yield* sql`delete from secrets`
    })
  )

  it.effect("does not begin with a file that is too large or has no key", () =>
    Effect.gen(function* () {
      const fault = (file: string) => Effect.map(Effect.flip(withKeys(file, () => Effect.void)), String)
      expect(yield* fault(`${first}${"#".repeat(65_536)}`)).toMatch(/keys has more than 65536 bytes/)
      expect(yield* fault("# none\n")).toMatch(/has no key: flow-gateway new-secrets-key prints one/)
    })
  )

  it.effect("stores nothing without keys, but lists and deletes", () =>
    Effect.gen(function* () {
      yield* withKeys(first, (store) => put(store, "TOKEN", "value"))
      yield* withKeys(undefined, (store) =>
        Effect.gen(function* () {
          expect(yield* Effect.flip(put(store, "OTHER", "value"))).toMatchObject({ _tag: "NoSecretKey" })
          expect(yield* read(store, "TOKEN")).toMatch(/needs the key first/)
          expect((yield* store.list(tenant)).map(({ name }) => name)).toEqual(["TOKEN"])
          expect(yield* store.remove(tenant, "TOKEN")).toBe(true)
        })
      )
    })
  )
})
