import { expect, layer } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer } from "effect"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import * as StoredKeyCheck from "../../src/layers/access/StoredKeyCheck.ts"
import { keyMillis } from "../../src/layers/access/StoredKeyCheck.ts"
import { KeyCheck } from "../../src/services/access/KeyCheck.ts"
import { Audit } from "../../src/services/audit/Audit.ts"
import { KeyId, makeKey } from "../../src/services/keys/ApiKey.ts"
import { KeyStore } from "../../src/services/keys/KeyStore.ts"
import { Keys } from "../../src/services/keys/Keys.ts"
import { CurrentPrincipal, type Principal } from "../../src/services/shared/security/Principal.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as MemoryAudit from "../memory/Audit.ts"
import * as MemoryStore from "../memory/KeyStore.ts"
import { until } from "../support/process.ts"
import { random } from "../support/random.ts"
import { movableClock, Rules, rules, rulesOf, users } from "./rules.ts"

const tenant = TenantId("mytenant")
const alice: Principal = { id: "user:alice", method: "basic", grants: new Map([["mytenant", "admin"]]) }

/** What reads of the store do, and how many ids each has asked for. */
interface Reads {
  readonly sizes: Array<number>
  before: Effect.Effect<void, StorageUnreachable>
}

/** Checks keys of a store in memory, as a gateway that has just started. */
const checking = Effect.gen(function* () {
  const reads: Reads = { sizes: [], before: Effect.void }
  const watched = Layer.effect(
    KeyStore,
    Effect.map(KeyStore, (store) => ({
      ...store,
      find: (ids: ReadonlyArray<KeyId>) => {
        reads.sizes.push(ids.length)
        return Effect.andThen(reads.before, store.find(ids))
      }
    }))
  ).pipe(Layer.provide(Layer.fresh(MemoryStore.layer)))
  const { after, clock, stand } = yield* movableClock
  const built = Layer.build(
    Layer.mergeAll(Layer.fresh(StoredKeyCheck.layer), Layer.fresh(Keys.layer)).pipe(
      Layer.provide(rules),
      Layer.provide(Layer.provide(Audit.layer, MemoryAudit.layer)),
      Layer.provideMerge(Layer.merge(watched, rulesOf({ users })))
    )
  )
  const context = yield* Effect.provideService(built, Clock.Clock, clock)
  const check = Context.get(context, KeyCheck)
  const verify = (key: string) => Effect.suspend(() => check.verify(key))
  const { create, revoke } = Context.get(context, Keys)
  const make = (more: object = {}, principal = alice) =>
    Effect.provideService(create(tenant, { name: "x", role: "viewer", ...more }), CurrentPrincipal, principal)
  return { verify, after, stand, make, revoke, reads, rules: Context.get(context, Rules) }
})

const days = 86_400_000

layer(Layer.empty, { excludeTestServices: true })("the check of keys", (it) => {
  it.effect("refuses any key with a character changed", () =>
    Effect.gen(function* () {
      const { make, verify } = yield* checking
      const { id, key } = yield* make()
      expect(yield* verify(key)).toEqual({ id: `key:${id}`, method: "key", grants: new Map([["mytenant", "viewer"]]) })
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const accepted: Array<string> = []
      for (let index = 0; index < key.length; index++) {
        for (const other of [...letters, " ", "\u0000", "ä", ""]) {
          const changed = key.slice(0, index) + other + key.slice(index + 1)
          if (changed !== key && (yield* verify(changed)) !== undefined) accepted.push(changed)
        }
      }
      expect(accepted).toEqual([])
    })
  )

  it.effect("refuses what cannot be a key without a read", () =>
    Effect.gen(function* () {
      const { make, reads, verify } = yield* checking
      const { key } = yield* make()
      for (const text of [
        "",
        "fgk_",
        key.slice(0, -1),
        `${key}a`,
        `${key}\n`,
        key.toUpperCase(),
        "fgk_".repeat(2 ** 18)
      ]) {
        expect([text.slice(0, 60), yield* verify(text)]).toEqual([text.slice(0, 60), undefined])
      }
      expect(reads.sizes).toEqual([])
    })
  )

  it.effect("reads a key once for all that use it at once, and again after some seconds", () =>
    Effect.gen(function* () {
      const { after, make, reads, stand, verify } = yield* checking
      yield* stand
      const { id, key } = yield* make()
      const wrong = `${key.slice(0, -2)}${key.endsWith("AA") ? "BB" : "AA"}`
      const gate = yield* Deferred.make<void>()
      reads.before = Deferred.await(gate)
      const texts = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? key : wrong))
      const using = yield* Effect.forkChild(Effect.forEach(texts, verify, { concurrency: "unbounded" }))
      yield* until(
        Effect.sync(() => reads.sizes.length),
        (reading) => reading > 0
      )
      yield* Deferred.succeed(gate, undefined)
      const all = yield* Fiber.join(using)
      expect(all.map((principal) => principal?.id)).toEqual(
        Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? `key:${id}` : undefined))
      )
      expect(reads.sizes).toEqual([1])
      yield* after(keyMillis - 1000)(verify(key))
      expect(reads.sizes).toEqual([1])
      yield* after(keyMillis)(verify(key))
      expect(reads.sizes).toEqual([1, 1])
    })
  )

  it.effect("asks for many made-up keys with few statements, and keeps the real ones in memory", () =>
    Effect.gen(function* () {
      const { make, reads, stand, verify } = yield* checking
      yield* stand
      const { key } = yield* make()
      yield* verify(key)
      const gate = yield* Deferred.make<void>()
      reads.before = Deferred.await(gate)
      const guesses = Array.from({ length: 20_000 }, makeKey)
      const guessing = yield* Effect.forkChild(Effect.forEach(guesses, verify, { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      expect((yield* verify(key))?.method).toBe("key")
      yield* Deferred.succeed(gate, undefined)
      const found = yield* Fiber.join(guessing)
      expect(found.every((principal) => principal === undefined)).toBe(true)
      expect(Math.max(...reads.sizes)).toBeLessThanOrEqual(500)
      expect(reads.sizes.length).toBeLessThanOrEqual(1 + 1 + 20_000 / 500 + 1)
      const before = reads.sizes.length
      expect((yield* verify(key))?.method).toBe("key")
      // The last ones are known not to exist.
      yield* Effect.forEach(guesses.slice(-1000), verify)
      expect(reads.sizes.length).toBe(before)
    })
  )

  it.effect("fails for keys that are not in memory while the store is away, and only for those", () =>
    Effect.gen(function* () {
      const { make, reads, stand, verify } = yield* checking
      yield* stand
      const [known, other] = [yield* make(), yield* make()]
      yield* verify(known.key)
      reads.before = Effect.fail(new StorageUnreachable({ storage: "metadata" }))
      expect((yield* verify(known.key))?.id).toBe(`key:${known.id}`)
      const failures = yield* Effect.forEach([other.key, makeKey(), makeKey()], (key) => Effect.flip(verify(key)), {
        concurrency: "unbounded"
      })
      expect(failures.map(({ _tag }) => _tag)).toEqual(Array.from({ length: 3 }, () => "StorageUnreachable"))
      // More keys than one statement looks up: all fail with the first one, so that none waits for the store twice.
      const gate = yield* Deferred.make<void>()
      const away = reads.before
      reads.before = Effect.andThen(Deferred.await(gate), away)
      const before = reads.sizes.length
      const guesses = Array.from({ length: 2000 }, makeKey)
      const waiting = yield* Effect.forkChild(
        Effect.forEach(guesses, (key) => Effect.flip(verify(key)), { concurrency: "unbounded" })
      )
      yield* until(
        Effect.sync(() => reads.sizes.length),
        (reading) => reading > before
      )
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
      expect(reads.sizes.length).toBe(before + 1)
      reads.before = Effect.void
      expect((yield* verify(other.key))?.id).toBe(`key:${other.id}`)
    })
  )

  it.effect("goes on when who has begun a read is gone", () =>
    Effect.gen(function* () {
      const { make, reads, verify } = yield* checking
      const { id, key } = yield* make()
      const gate = yield* Deferred.make<void>()
      reads.before = Deferred.await(gate)
      const first = yield* Effect.forkChild(verify(key), { startImmediately: true })
      const second = yield* Effect.forkChild(verify(key), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* Fiber.join(second))?.id).toBe(`key:${id}`)
    })
  )

  it.effect("refuses keys that are over or revoked", () =>
    Effect.gen(function* () {
      const { after, make, revoke, verify } = yield* checking
      const short = yield* make({ expiresInDays: 1 })
      expect(yield* verify(short.key)).toBeDefined()
      expect(yield* after(days - 60_000)(verify(short.key))).toBeDefined()
      expect(yield* after(days)(verify(short.key))).toBe(undefined)
      const timed = yield* make({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
      expect(yield* verify(timed.key)).toBeDefined()
      // Also while it is in memory.
      expect(yield* after(keyMillis - 1)(verify(timed.key))).toBeDefined()
      expect(yield* after(60_000)(verify(timed.key))).toBe(undefined)
      const soon = yield* make({ expiresAt: new Date(Date.now() + keyMillis / 2).toISOString() })
      expect(yield* verify(soon.key)).toBeDefined()
      expect(yield* after(keyMillis / 2)(verify(soon.key))).toBe(undefined)
      const revoked = yield* make()
      expect(yield* verify(revoked.key)).toBeDefined()
      yield* revoke(tenant, KeyId(revoked.id))
      expect(yield* after(keyMillis)(verify(revoked.key))).toBe(undefined)
    })
  )

  it.effect("refuses keys whose owner is not in the access file", () =>
    Effect.gen(function* () {
      const { make, rules, verify } = yield* checking
      const grants = new Map([["mytenant", "admin"]] as const)
      const ownedBy = (id: string) => make({ role: "operator" }, { id, method: "basic", grants })
      const issuers = [{ issuer: "https://a.example", audience: "flow", roles: [] }]
      rules.file = { users, issuers }
      const roleOf = (key: string) => Effect.map(verify(key), (principal) => principal?.grants.get("mytenant"))
      for (const [owner, role] of [
        ["user:alice", "operator"],
        ["user:constructor", undefined],
        ["user:__proto__", undefined],
        ["user:nobody", undefined],
        ["token:https://a.example#carol", "operator"],
        ["token:https://a.example.evil#carol", undefined],
        ["anonymous", undefined],
        ["gateway", undefined]
      ] as const) {
        const { key } = yield* ownedBy(owner)
        expect([owner, yield* roleOf(key)]).toEqual([owner, role])
      }
    })
  )

  it.effect("gives a key the least of its role and its owner's, whatever they are", () =>
    Effect.gen(function* () {
      const { make, rules, verify } = yield* checking
      const order = [undefined, "viewer", "operator", "developer", "admin"] as const
      const { below } = random()
      const made = new Map<string, string>()
      for (const role of order.slice(1)) made.set(role!, (yield* make({ role })).key)
      for (let turn = 0; turn < 500; turn++) {
        const [of, own, all] = [1 + below(4), below(5), below(5)]
        const roles = Object.fromEntries(
          [["mytenant", order[own]] as const, ["*", order[all]] as const, ["other", "admin"] as const].flatMap(
            ([name, role]) => (role === undefined ? [] : [[name, role]])
          )
        )
        rules.file = { users: { alice: { password: "", roles } } }
        const principal = yield* verify(made.get(order[of]!)!)
        const least = order[Math.min(of, Math.max(own, all))]
        expect([roles, order[of], principal?.grants]).toEqual([
          roles,
          order[of],
          least === undefined ? undefined : new Map([["mytenant", least]])
        ])
      }
    })
  )

  it.effect("lets nobody make a key with a higher role than his own", () =>
    Effect.gen(function* () {
      const { make } = yield* checking
      const operator: Principal = { ...alice, grants: new Map([["mytenant", "operator"]]) }
      expect(yield* Effect.flip(make({ role: "developer" }, operator))).toMatchObject({ _tag: "Forbidden" })
      expect(yield* make({ role: "operator" }, operator)).toMatchObject({ role: "operator" })
      const elsewhere: Principal = { ...alice, grants: new Map([["other", "admin"]]) }
      expect(yield* Effect.flip(make({}, elsewhere))).toMatchObject({ _tag: "Forbidden" })
    })
  )
})
