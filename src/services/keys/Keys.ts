import { Clock, Context, Effect, Layer, Schema, type Stream } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Forbidden } from "../../errors/Forbidden.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { Audit } from "../audit/Audit.ts"
import { hexDigest, sha256Of } from "../shared/bytes/Sha256Digest.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import { CurrentPrincipal, hasRole, type Role } from "../shared/security/Principal.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { isKeyId, type KeyId, KeyRequest, keyIdOf, keyOfPrincipal, makeKey, type NewApiKey } from "./ApiKey.ts"
import { KeyStore, type NewKey } from "./KeyStore.ts"

/** Valid keys that a tenant has at most. */
const mostKeys = 1000

const dayMillis = 86_400_000

/** The last time that ISO 8601 writes with four digits of a year. */
const lastTime = Date.UTC(9999, 11, 31)

const decode = Schema.decodeUnknownEffect(KeyRequest, strict)

/** Decodes the request for a key, or names all its faults. */
export const readKey = (body: unknown): Effect.Effect<KeyRequest, BadRequest> =>
  Effect.mapError(
    decode(body),
    (error) => new BadRequest({ detail: "The key is invalid", issues: issuesOf(error, "body") })
  )

const refuse = (pointer: string, detail: string) =>
  new BadRequest({ detail: "The key is invalid", issues: [{ part: "body", pointer, detail }] })

/** When the key ends, in epoch milliseconds. */
const expiryOf = (
  { expiresAt, expiresInDays }: KeyRequest,
  now: number
): Effect.Effect<number | undefined, BadRequest> => {
  if (expiresInDays !== undefined) {
    return expiresAt === undefined
      ? Effect.succeed(now + expiresInDays * dayMillis)
      : refuse("/expiresInDays", "Send expiresAt or expiresInDays, not both")
  }
  if (expiresAt === undefined) return Effect.succeed(undefined)
  const time = Date.parse(expiresAt)
  if (Number.isNaN(time) || time > lastTime) return refuse("/expiresAt", "There is no such time")
  return time > now ? Effect.succeed(time) : refuse("/expiresAt", "This time is over: send one to come")
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.min(one, other)

const isoOf = (time: number | undefined): string | null => (time === undefined ? null : new Date(time).toISOString())

const parentEnded = (role: Role) => new Forbidden({ role, detail: "The key with which this was to be made has ended" })

/** Makes, lists and revokes the API keys of tenants. */
export class Keys extends Context.Service<
  Keys,
  {
    /**
     * Makes a key for the tenant, with a role that the current principal has as well. A key that was made with another
     * one has the same owner, and ends with it.
     */
    readonly create: (
      tenant: TenantId,
      body: unknown
    ) => Effect.Effect<NewApiKey, BadRequest | Forbidden | LimitExceeded | StorageUnreachable>
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    readonly revoke: (tenant: TenantId, id: KeyId) => Effect.Effect<void, NotFound | StorageUnreachable>
  }
>()("flow/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const audit = yield* Audit

      /** Stores a key under an id that is free. */
      const add = Effect.fnUntraced(function* (key: Omit<NewKey, "id" | "sha256">) {
        for (;;) {
          const text = makeKey()
          const id = keyIdOf(text)!
          const digest = yield* sha256Of(text)
          const said = yield* hexDigest(JSON.stringify([key.name, key.role, key.owner, isoOf(key.expiresAt)]))
          const added = yield* audit.change(
            key.tenant,
            store.add({ ...key, id, sha256: digest }, mostKeys),
            ({ _tag }) => (_tag === "Added" ? { action: "keys.create", target: id, after: said } : undefined)
          )
          switch (added._tag) {
            case "Added":
              return { text, id, createdAt: added.createdAt }
            case "ParentEnded":
              return yield* parentEnded(key.role)
            case "Full":
              return yield* new LimitExceeded({
                limit: "keys",
                value: mostKeys,
                used: added.used,
                key: `tenant:${key.tenant}`,
                tenant: key.tenant,
                detail: "The tenant has as many valid keys as it may have: revoke some"
              })
          }
        }
      })

      return Keys.of({
        create: Effect.fn("Keys.create")(function* (tenant, body) {
          const request = yield* readKey(body)
          const { role } = request
          const name = request.name.toWellFormed()
          const principal = yield* CurrentPrincipal
          if (!hasRole(principal, tenant, role)) {
            return yield* new Forbidden({ role, detail: `A key has no higher role than who makes it: not ${role}` })
          }
          const wanted = yield* expiryOf(request, yield* Clock.currentTimeMillis)
          const parent = keyOfPrincipal(principal.id)
          const [maker] = parent === undefined ? [] : yield* store.find([parent])
          if (parent !== undefined && maker === undefined) return yield* parentEnded(role)
          const owner = maker?.owner ?? principal.id
          const expiresAt = earlier(wanted, maker?.expiresAt)
          const { text, id, createdAt } = yield* add({ tenant, name, role, owner, parent, expiresAt })
          return {
            id,
            name,
            role,
            owner,
            parent: parent ?? null,
            createdAt,
            expiresAt: isoOf(expiresAt),
            key: text
          }
        }),
        list: store.list,
        revoke: Effect.fn("Keys.revoke")(function* (tenant, id) {
          const missing = new NotFound({ kind: "key", tenant, id })
          if (!isKeyId(id)) return yield* missing
          const revoked = yield* audit.change(tenant, store.revoke(tenant, id), (revoked) =>
            revoked === "Now" ? { action: "keys.revoke", target: id } : undefined
          )
          if (revoked === "Absent") return yield* missing
        })
      })
    })
  )
}
