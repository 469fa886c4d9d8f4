import { hash, randomBytes } from "node:crypto"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import type { AccessFile, Issuer } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { KeyCheck } from "../../services/access/KeyCheck.ts"
import { SessionStore, type StoredSession } from "../../services/access/SessionStore.ts"
import { Proof, type Session, Sessions } from "../../services/access/Sessions.ts"
import { Audit } from "../../services/audit/Audit.ts"
import { BlobLedger } from "../../services/blobs/BlobLedger.ts"
import { KeyId } from "../../services/keys/ApiKey.ts"
import { survive } from "../../services/shared/process/Background.ts"
import { CurrentPrincipal, type Principal } from "../../services/shared/security/Principal.ts"
import { principalOfClaims } from "./Claims.ts"
import { makeRowLookup } from "./RowLookup.ts"

/** Maximum number of sessions, per principal and in all. Beyond that the least recently used one ends. */
const most = { each: 50, all: 10_000 }

const minute = 60_000
const hour = 60 * minute

/** How long sessions last unless the access file says otherwise, in milliseconds. */
const timesOf = ({ sessions }: AccessFile) => ({
  idle: (sessions?.idleMinutes ?? 120) * minute,
  longest: (sessions?.hours ?? 12) * hour
})

/** Minimum milliseconds between two records of a session's use. */
const noteEvery = (idle: number): number => Math.min(minute, idle / 4)

const tokenForm = /^[A-Za-z0-9_-]{43}$/
const idOf = (token: string): string => hash("sha256", token, "hex")

const decodeProof = Schema.decodeUnknownOption(Schema.fromJsonString(Proof))

/** The digest of a stored password hash, by which a session notices that the user's password has changed. */
export const passwordDigest = (stored: string): string => hash("sha256", stored, "hex")

/** The audiences that a token of the issuer may have: the API's, or the client id of logins. */
const audiencesOf = ({ audience, login }: Issuer, scheme: "token" | "oidc"): ReadonlyArray<string> =>
  scheme === "oidc" ? (login === undefined ? [] : [login.clientId]) : [audience].flat()

/** The principal of a session's claims by the current rules of the access file. */
const ofClaims = (file: AccessFile, proof: Extract<Proof, { claims: object }>): Principal | undefined => {
  const issuer = file.issuers?.find((one) => one.issuer === proof.issuer)
  if (issuer === undefined) return undefined
  const named = [proof.claims["aud"]].flat()
  if (!audiencesOf(issuer, proof.scheme).some((audience) => named.includes(audience))) return undefined
  return principalOfClaims(issuer, proof.claims)
}

const ofUser = ({ users = {} }: AccessFile, name: string, digest: string): Principal | undefined => {
  const user = Object.hasOwn(users, name) ? users[name] : undefined
  if (user === undefined || passwordDigest(user.password) !== digest) return undefined
  return { id: `user:${name}`, method: "basic", grants: new Map(Object.entries(user.roles)) }
}

/** Sessions in the store. Their rights are those that their credential has now, which is looked up for each request. */
export const layer = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const store = yield* SessionStore
    const rules = yield* AccessRules
    const keys = yield* KeyCheck
    const audit = yield* Audit
    const clock = yield* Clock.Clock
    const scope = yield* Effect.scope
    const installation = yield* (yield* BlobLedger).installation
    // Not cached, so that a session that ends at one gateway ends at all of them.
    const lookUp = yield* makeRowLookup<string, StoredSession, never>(store.find, 0)

    const principalNow = (file: AccessFile, proof: Proof) => {
      switch (proof.scheme) {
        case "password":
          return Effect.succeed(ofUser(file, proof.user, proof.digest))
        case "key":
          return keys.confirm(KeyId(proof.key), proof.digest)
        default:
          return Effect.succeed(ofClaims(file, proof))
      }
    }

    const sessionOf = Effect.fnUntraced(function* (row: StoredSession, isUse: boolean) {
      const file = rules.current()
      const proof = decodeProof(row.proof)
      if (file === undefined || Option.isNone(proof)) return undefined
      const { idle, longest } = timesOf(file)
      const left = Math.min(row.left, longest - row.age)
      if (left <= 0 || row.idle >= idle) return undefined
      const principal = yield* principalNow(file, proof.value)
      if (principal === undefined) return undefined
      if (isUse && row.idle > noteEvery(idle)) {
        yield* Effect.forkIn(survive("Noting the use of a session", store.used(row.id)), scope)
      }
      const now = clock.currentTimeMillisUnsafe()
      const session: Session = {
        principal,
        scheme: proof.value.scheme,
        endsAt: now + left,
        idleUntil: now + Math.min(left, idle)
      }
      return session
    })

    const find = Effect.fnUntraced(function* (token: string, isUse = true) {
      if (!tokenForm.test(token)) return undefined
      const found = yield* lookUp(idOf(token))
      return found === undefined ? undefined : yield* sessionOf(found.row, isUse)
    })

    return Sessions.of({
      cookie: `flow-${idOf(`session ${installation}`).slice(0, 12)}`,
      find,
      begin: Effect.fn("Sessions.begin")(function* ({ principal, proof, endsAt }, former) {
        const { idle, longest } = timesOf(rules.current() ?? {})
        const token = randomBytes(32).toString("base64url")
        const left = Math.min(longest, (endsAt ?? Number.POSITIVE_INFINITY) - clock.currentTimeMillisUnsafe())
        const session = { id: idOf(token), principal: principal.id, proof: JSON.stringify(proof), left }
        const writes = Effect.andThen(
          former === undefined ? Effect.void : store.remove(idOf(former)),
          store.add(session, { ...most, idle })
        )
        yield* audit
          .change(undefined, writes, () => ({ action: "sessions.begin", target: proof.scheme }))
          .pipe(Effect.provideService(CurrentPrincipal, principal))
        return token
      }),
      end: Effect.fn("Sessions.end")(function* (token) {
        const session = yield* find(token)
        const removal = store.remove(idOf(token))
        // A session that has already ended gets no audit row, because its principal is unknown.
        if (session === undefined) return yield* Effect.asVoid(removal)
        yield* audit
          .change(undefined, removal, (isEnded) =>
            isEnded ? { action: "sessions.end", target: session.scheme } : undefined
          )
          .pipe(Effect.provideService(CurrentPrincipal, session.principal))
      })
    })
  })
)
