import { timingSafeEqual } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { Kdf } from "effect/crypto"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import {
  defaultCost,
  derivePasswordHash,
  type PasswordHash,
  parsePasswordHash
} from "../../services/access/PasswordHash.ts"
import { FairSemaphore } from "../../services/shared/capacity/FairSemaphore.ts"
import { observeCounter, observeQueue } from "../../services/shared/process/ObservableMetrics.ts"
import type { Principal } from "../../services/shared/security/Principal.ts"
import { networkOf } from "../http/server/ConnectionLimit.ts"
import { FailedLogins, failuresAtOnce } from "./FailedLogins.ts"
import { VerifiedCredentials } from "./VerifiedCredentials.ts"

/** Number of password checks that may wait for one address, and for all together. */
const waitingEach = 64
const waitingAll = 1024

interface User {
  readonly stored: string
  readonly principal: Principal
}

/** The users of a file by name, and the hash against which the passwords of unknown names are checked. */
interface Users {
  readonly file: AccessFile | undefined
  readonly byName: ReadonlyMap<string, User>
  readonly nobody: PasswordHash
}

/**
 * A hash that no password matches, with the cost that most users' hashes have: the time of an answer must not tell
 * whether a user exists.
 */
const nobodyAmong = (users: ReadonlyMap<string, User>): PasswordHash => {
  const counts = new Map<string, { readonly hash: PasswordHash; number: number }>()
  for (const { stored } of users.values()) {
    const hash = parsePasswordHash(stored)
    if (typeof hash === "string") continue
    const cost = `${hash.memory},${hash.passes},${hash.parallelism}`
    const found = counts.get(cost) ?? { hash, number: 0 }
    found.number += 1
    counts.set(cost, found)
  }
  const [usual] = [...counts.values()].sort((one, other) => other.number - one.number)
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
  return { ...(usual?.hash ?? defaultCost), salt: random(16), hash: random(32) }
}

const usersOf = (file: AccessFile | undefined): Users => {
  const byName = new Map<string, User>()
  for (const [name, { password, roles }] of Object.entries(file?.users ?? {})) {
    const principal: Principal = { id: `user:${name}`, method: "basic", grants: new Map(Object.entries(roles)) }
    byName.set(name.normalize("NFC"), { stored: password, principal })
  }
  return { file, byName, nobody: nobodyAmong(byName) }
}

type Refusal = Unauthorized | LimitExceeded | Overloaded

const refused = Effect.fail(new Unauthorized({}))
const full = () => new Overloaded({ detail: "Too many passwords wait to be checked" })

const tooManyFailures = (network: string) =>
  new LimitExceeded({
    limit: "failedLogins",
    value: failuresAtOnce,
    used: failuresAtOnce + 1,
    key: `address:${network}`,
    detail: `${failuresAtOnce} wrong passwords came from ${network}: only one more is checked in a second`
  })

/** Checks names and passwords against the users of the access file. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** The principal of the credential, if it was verified a short time ago. */
    readonly known: (credential: string) => Principal | undefined
    /** Derives the hash of the password, one for all requests with the same credential. */
    readonly verify: (
      credential: string,
      name: string,
      password: string,
      address: string
    ) => Effect.Effect<Principal, Refusal>
  }
>()("flow/access/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const rules = yield* AccessRules
      const kdf = yield* Kdf.Kdf
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const now = () => monotonicMillis(clock)
      const verified = new VerifiedCredentials(now)
      const failures = new FailedLogins(now)
      // One at a time: a derivation blocks a thread that file operations need, and takes 64 MiB by default.
      const turns = new FairSemaphore<Overloaded, string>({ all: 1, each: 1, queue: { each: waitingEach, full } })
      yield* observeQueue("passwords", turns)
      let derived = 0
      yield* observeCounter(
        "flow_passwords_checked_total",
        { description: "Passwords whose hash was derived; others were known, or refused unchecked" },
        () => derived
      )
      let users = usersOf(rules.current())
      /** Checks that are under way, by credential. Those of former rules are not joined. */
      let pending = new Map<string, Deferred.Deferred<Principal, Refusal>>()
      const current = (): Users => {
        const file = rules.current()
        if (file !== users.file) {
          users = usersOf(file)
          pending = new Map()
        }
        return users
      }

      const compare = Effect.fnUntraced(function* (id: string, name: string, password: string, network: string) {
        if (!failures.mayTry(network)) return yield* tooManyFailures(network)
        const { byName, nobody } = current()
        const user = byName.get(name)
        const parsed = user === undefined ? nobody : parsePasswordHash(user.stored)
        const expected = typeof parsed === "string" ? nobody : parsed
        derived += 1
        const found = yield* Effect.orDie(Effect.provideService(derivePasswordHash(password, expected), Kdf.Kdf, kdf))
        // The rules may have changed meanwhile.
        const still = current().byName.get(name)
        if (timingSafeEqual(found, expected.hash) && user !== undefined && still?.stored === user.stored) {
          verified.add(id, name, user.stored)
          return still.principal
        }
        failures.failed(network)
        return yield* new Unauthorized({})
      })

      const check = (id: string, name: string, password: string, network: string): Effect.Effect<Principal, Refusal> =>
        Effect.suspend(() => {
          if (!failures.mayTry(network)) return Effect.fail(tooManyFailures(network))
          if (turns.waiting >= waitingAll) return Effect.fail(full())
          return turns.within(network, compare(id, name, password, network))
        }).pipe(
          Effect.catchDefect((defect) =>
            Effect.andThen(
              Effect.logError("A password could not be checked", defect),
              Effect.fail(new Overloaded({ detail: "The password could not be checked" }))
            )
          )
        )

      return Passwords.of({
        known: (credential) => {
          const id = verified.idOf(credential)
          const found = verified.find(id)
          if (found === undefined) return undefined
          const user = current().byName.get(found.user)
          if (user?.stored === found.stored) return user.principal
          verified.remove(id)
          return undefined
        },
        verify: Effect.fn("Passwords.verify")(function* (credential, given, password, address) {
          const name = given.normalize("NFC")
          if (current().byName.size === 0) return yield* refused
          const id = verified.idOf(credential)
          const found = pending.get(id)
          if (found !== undefined) return yield* Deferred.await(found)
          const result = yield* Deferred.make<Principal, Refusal>()
          const ours = pending
          ours.set(id, result)
          // The first client may disconnect while others wait for its check.
          yield* check(id, name, password, networkOf(address)).pipe(
            Effect.ensuring(Effect.sync(() => ours.delete(id))),
            Effect.onExit((exit) => Deferred.done(result, exit)),
            Effect.forkIn(scope)
          )
          return yield* Deferred.await(result)
        })
      })
    })
  ).pipe(Layer.provide(NodeCrypto.layerKdf))
}
