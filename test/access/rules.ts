import { Clock, Context, Effect, Layer, Stream } from "effect"
import { Unauthorized } from "../../src/errors/Unauthorized.ts"
import * as StoredKeyCheck from "../../src/layers/access/StoredKeyCheck.ts"
import * as Tokens from "../../src/layers/access/Tokens.ts"
import * as Production from "../../src/layers/Production.ts"
import type { AccessFile } from "../../src/services/access/AccessFile.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { Authenticator } from "../../src/services/access/Authenticator.ts"
import { KeyCheck } from "../../src/services/access/KeyCheck.ts"
import { TokenCheck } from "../../src/services/access/TokenCheck.ts"
import type { Settings } from "../../src/services/shared/settings/Settings.ts"
import * as Memory from "../memory/Memory.ts"
import { served, testSettings } from "../support/gateway.ts"

/** The access file of a test, which it may replace. */
export class Rules extends Context.Service<Rules, { file: AccessFile }>()("test/Rules") {}

export const rulesOf = (file: AccessFile) => Layer.sync(Rules, () => ({ file }))

/** The file that the test has set last. */
export const rules = Layer.effect(
  AccessRules,
  Effect.map(Rules, (rules) => ({ current: () => rules.file, changes: Stream.succeed(undefined), faulty: () => false }))
)

/** The password of every user: the tests are not about passwords. */
export const password = "password"

/** `Authorization` of a user. */
export const basic = (user: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

/** Authenticates users by their name, keys and tokens as the gateway does. */
const authenticator = Layer.effect(
  Authenticator,
  Effect.gen(function* () {
    const keys = yield* KeyCheck
    const tokens = yield* TokenCheck
    const rules = yield* Rules
    const principalOf = (authorization: string, key: string | undefined) => {
      if (key !== undefined) return keys.verify(key)
      if (authorization.startsWith("Bearer fgk_")) return keys.verify(authorization.slice(7))
      if (authorization.startsWith("Bearer ")) return tokens.verify(authorization.slice(7))
      const [name = ""] = Buffer.from(authorization.slice(6), "base64").toString().split(":")
      const user = rules.file.users?.[name]
      if (user === undefined) return Effect.succeed(undefined)
      const grants = new Map(Object.entries(user.roles))
      return Effect.succeed({ id: `user:${name}`, method: "basic" as const, grants })
    }
    return {
      challenge: () => 'Bearer realm="flow-gateway"',
      authenticate: ({ headers: { authorization = "", "x-api-key": key } }) =>
        Effect.flatMap(principalOf(authorization, key), (principal) =>
          principal === undefined ? new Unauthorized() : Effect.succeed(principal)
        )
    }
  })
)

const checks = authenticator.pipe(
  Layer.provideMerge(Layer.mergeAll(Layer.fresh(StoredKeyCheck.layer), Layer.fresh(Tokens.layer))),
  Layer.provide(rules)
)

/**
 * A clock for the services under test, a function that runs an effect at a later time of it, and an effect after which it
 * stands, however long the machine takes.
 */
export const movableClock = Effect.clockWith((clock) =>
  Effect.sync(() => {
    let ahead = 0
    const read = () => [clock.currentTimeMillisUnsafe(), clock.monotonicTimeNanosUnsafe()] as const
    let now = read
    const movable: Clock.Clock = Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: () => now()[0] + ahead,
      monotonicTimeNanosUnsafe: () => now()[1] + BigInt(ahead) * 1_000_000n
    })
    const stand = Effect.sync(() => {
      const times = read()
      now = () => times
    })
    const after =
      (millis: number) =>
      <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            ahead = millis
          }),
          () => Effect.provideService(self, Clock.Clock, movable),
          () =>
            Effect.sync(() => {
              ahead = 0
            })
        )
    return { clock: movable, after, stand }
  })
)

/** Users with a role each, for one tenant or all. */
export const users: NonNullable<AccessFile["users"]> = {
  alice: { password: "", roles: { mytenant: "admin" } },
  bob: { password: "", roles: { mytenant: "developer" } },
  root: { password: "", roles: { "*": "admin" } }
}

/** A gateway that authenticates, on PostgreSQL. */
export const gatewayWith = (file: AccessFile, given: Partial<Settings["Service"]> = {}) =>
  served(checks.pipe(Layer.provideMerge(Production.layer))).pipe(
    Layer.provideMerge(Layer.merge(testSettings(given), rulesOf(file))),
    Layer.orDie
  )

/** The same on memory. */
export const memoryGatewayWith = (file: AccessFile, given: Partial<Settings["Service"]> = {}) =>
  served(checks.pipe(Layer.provideMerge(Memory.layer))).pipe(
    Layer.provideMerge(Layer.merge(testSettings({ databaseUrl: "postgres://unused", ...given }), rulesOf(file))),
    Layer.orDie
  )
