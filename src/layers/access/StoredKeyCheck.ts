import { hash, timingSafeEqual } from "node:crypto"
import { Clock, Effect, Layer, Queue } from "effect"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { KeyCheck } from "../../services/access/KeyCheck.ts"
import { type KeyId, keyIdOf, keyPrincipal } from "../../services/keys/ApiKey.ts"
import { KeyStore, type StoredKey, useInterval } from "../../services/keys/KeyStore.ts"
import { everyTenant, type Grants, hasRole, type Principal, type Role, roles } from "../../services/shared/Access.ts"
import { survive } from "../../services/shared/Background.ts"
import { flatMapKnown } from "../../services/shared/Known.ts"
import { type KnownKey, makeKeyLookup } from "./KeyLookup.ts"

const noKey = new Uint8Array(32)

/** What the owner of a key has now; undefined when it is none of the principals of the access file. */
const grantsOfOwner = ({ users = {}, issuers = [] }: AccessFile, owner: string): Grants | undefined => {
  if (owner.startsWith("user:")) {
    const name = owner.slice("user:".length)
    const user = Object.hasOwn(users, name) ? users[name] : undefined
    return user === undefined ? undefined : new Map(Object.entries(user.roles))
  }
  // What the claims of a token gave when the key was made is not known here.
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
    const lookUp = yield* makeKeyLookup<Memory>(store)
    /** Keys whose use is to be written. A full queue drops some: their next use is noted again. */
    const uses = yield* Queue.sliding<KeyId>(1000)

    yield* Effect.forkScoped(
      Effect.forever(
        Effect.flatMap(Queue.takeAll(uses), (ids) =>
          survive("Noting the use of API keys", store.used([...new Set(ids)]))
        )
      )
    )

    const check = (sha256: Uint8Array, known: KnownKey<Memory> | undefined): Principal | undefined => {
      // An unknown id costs the same as a wrong secret.
      const isSame = timingSafeEqual(sha256, known?.key.sha256 ?? noKey)
      const file = rules.current()
      if (known === undefined || !isSame || file === undefined) return undefined
      const { key } = known
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
      return memory.principal
    }

    return KeyCheck.of({
      verify: (text) => {
        const id = keyIdOf(text)
        if (id === undefined) return Effect.succeed(undefined)
        // By way of a text, which Node gives in a third of the time of a buffer.
        const sha256 = Buffer.from(hash("sha256", text, "latin1"), "latin1")
        return flatMapKnown(lookUp(id), (known) => Effect.succeed(check(sha256, known)))
      }
    })
  })
)
