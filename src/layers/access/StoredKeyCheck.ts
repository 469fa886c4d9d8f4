import { hash, timingSafeEqual } from "node:crypto"
import { Clock, Effect, Layer, Queue } from "effect"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { KeyCheck } from "../../services/access/KeyCheck.ts"
import { type KeyId, keyIdOf, keyPrincipal } from "../../services/keys/ApiKey.ts"
import { KeyStore, type StoredKey, useInterval } from "../../services/keys/KeyStore.ts"
import { survive } from "../../services/shared/process/Background.ts"
import {
  everyTenant,
  type Grants,
  hasRole,
  type Principal,
  type Role,
  roles
} from "../../services/shared/security/Principal.ts"
import { ExpiringMap } from "./ExpiringMap.ts"
import { type KnownRow, makeRowLookup } from "./RowLookup.ts"

const noKey = new Uint8Array(32)

/**
 * Milliseconds for which a key, or its absence, is cached. After revocation a key may still be accepted for so long.
 */
export const keyMillis = 5000

/** Keys at most whose check is remembered. */
const mostChecked = 10_000

/** The current grants of a key's owner; undefined when the access file has no such principal. */
const grantsOfOwner = ({ users = {}, issuers = [] }: AccessFile, owner: string): Grants | undefined => {
  if (owner.startsWith("user:")) {
    const name = owner.slice("user:".length)
    const user = Object.hasOwn(users, name) ? users[name] : undefined
    return user === undefined ? undefined : new Map(Object.entries(user.roles))
  }
  // The claims of the token with which the key was made are not stored, so only its issuer can be checked.
  const isIssued = issuers.some(({ issuer }) => owner.startsWith(`token:${issuer}#`))
  return isIssued ? new Map([[everyTenant, "admin"]]) : undefined
}

/** The highest role that the key and its owner both have. */
const roleNow = (file: AccessFile, { owner, role, tenant }: StoredKey): Role | undefined => {
  const grants = grantsOfOwner(file, owner)
  if (grants === undefined) return undefined
  const its = { id: "", method: "key", grants: new Map([[tenant, role]]) } as const
  return roles.findLast((one) => hasRole(its, tenant, one) && hasRole({ ...its, grants }, tenant, one))
}

const principalOf = (file: AccessFile, key: StoredKey): Principal | undefined => {
  const role = roleNow(file, key)
  if (role === undefined) return undefined
  return { id: keyPrincipal(key.id), method: "key", grants: new Map([[key.tenant, role]]) }
}

/** What is remembered of a key: its principal by these rules of the access file. */
interface Memory {
  readonly file: AccessFile
  readonly principal: Principal | undefined
  isNoted: boolean
}

/** Checks API keys against their hashes in the store. */
export const layer = Layer.effect(
  KeyCheck,
  Effect.gen(function* () {
    const store = yield* KeyStore
    const rules = yield* AccessRules
    const clock = yield* Clock.Clock
    /** A lookup without a cache, for sessions: they end as soon as their key does. */
    const lookUpNow = yield* makeRowLookup<KeyId, StoredKey, Memory>(store.find, 0)
    const lookUp = yield* makeRowLookup<KeyId, StoredKey, Memory>(store.find, keyMillis)
    /** Keys whose use has to be recorded. A full queue drops some: their next use is recorded. */
    const uses = yield* Queue.sliding<KeyId>(1000)

    yield* Effect.forkScoped(
      Effect.forever(
        Effect.flatMap(Queue.takeAll(uses), (ids) =>
          survive("Noting the use of API keys", store.used([...new Set(ids)]))
        )
      )
    )

    /** Principals of accepted keys by hash, valid while the key is cached and the rules are unchanged. */
    const checked = new ExpiringMap<string, { readonly file: AccessFile; readonly principal: Principal }>(mostChecked)

    const check = (digest: string, known: KnownRow<StoredKey, Memory> | undefined): Principal | undefined => {
      const sha256 = Buffer.from(digest, "latin1")
      // An unknown id costs the same as a wrong secret.
      const isSame = timingSafeEqual(sha256, known?.row.sha256 ?? noKey)
      const file = rules.current()
      if (known === undefined || !isSame || file === undefined) return undefined
      const { row: key } = known
      const now = clock.currentTimeMillisUnsafe()
      if (key.isRevoked || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= now) return undefined
      if (known.memory?.file !== file) {
        known.memory = { file, principal: principalOf(file, key), isNoted: known.memory?.isNoted ?? false }
      }
      const { memory } = known
      if (memory.principal !== undefined && !memory.isNoted && now - (key.lastUsedAt ?? 0) > useInterval) {
        memory.isNoted = true
        Queue.offerUnsafe(uses, key.id)
      }
      const { principal } = memory
      if (principal !== undefined) {
        const left = (key.expiresAt ?? Number.POSITIVE_INFINITY) - now
        checked.set(digest, { file, principal }, Math.min(known.until, monotonicMillis(clock) + left))
      }
      return principal
    }

    return KeyCheck.of({
      confirm: (id, sha256) =>
        Effect.flatMap(lookUpNow(id), (known) =>
          Effect.succeed(check(Buffer.from(sha256, "hex").toString("latin1"), known))
        ),
      verify: (text) => {
        // As text, which Node produces in a third of the time that a buffer takes.
        const digest = hash("sha256", text, "latin1")
        const accepted = checked.get(digest, monotonicMillis(clock))
        if (accepted !== undefined && accepted.file === rules.current()) return Effect.succeed(accepted.principal)
        const id = keyIdOf(text)
        if (id === undefined) return Effect.succeed(undefined)
        return Effect.flatMapEager(lookUp(id), (known) => Effect.succeed(check(digest, known)))
      }
    })
  })
)
