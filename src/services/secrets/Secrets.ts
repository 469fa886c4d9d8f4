import { Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import type { NoSecretKey } from "../../errors/NoSecretKey.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { maxSuggestions, suggestion } from "../../languages/Suggest.ts"
import { flowlineSecretBytes, type SecretValues, secretBytes } from "../../protocol/Secrets.ts"
import { Audit } from "../audit/Audit.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import { CurrentPrincipal } from "../shared/security/Principal.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { ConfiguredSecrets } from "./ConfiguredSecrets.ts"
import type { SecretEntry } from "./SecretEntry.ts"
import { type SecretSource, UnusableSecret } from "./SecretSource.ts"
import { anyState, type Changeable, SecretStore } from "./SecretStore.ts"

/** Maximum number of stored secrets of a tenant. */
const mostSecrets = 1000

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The value is checked apart: the message of a schema's issue would contain it. */
const decodeBody = Schema.decodeUnknownEffect(Schema.Struct({ value: Schema.Unknown }), strict)

const excluded = new PreconditionFailed({ detail: "The condition excludes what the store of secrets has of this name" })

const invalid = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The secret is invalid", issues })

const faultOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return "Expected text"
  if (value === "") return "Expected at least one character"
  return value.isWellFormed() ? undefined : "Expected well-formed Unicode, without single surrogates"
}

/** The value of a body, or what is wrong with it. No message contains it. */
export const valueOf = Effect.fnUntraced(function* (body: unknown) {
  const { value } = yield* Effect.mapError(decodeBody(body), (error) => invalid(issuesOf(error, "body")))
  const fault = faultOf(value)
  if (fault !== undefined || typeof value !== "string") {
    return yield* invalid([{ part: "body", pointer: "/value", detail: fault ?? "Expected text" }])
  }
  if (bytesOf(value) > secretBytes) return yield* new TooLarge({ limit: "secret", value: secretBytes })
  return Redacted.make(value)
})

/** The secrets that flowlines of a tenant may refer to. Only runs can read their values. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Stores the value that the JSON body `{value}` has. The state is that of the store. */
    readonly put: (
      tenant: TenantId,
      name: string,
      body: unknown,
      state?: Changeable
    ) => Effect.Effect<void, BadRequest | NoSecretKey | PreconditionFailed | StorageUnreachable | TooLarge | TooMany>
    /** Removes a stored secret. Those of other sources are the operator's. */
    readonly remove: (
      tenant: TenantId,
      name: string,
      state?: Changeable
    ) => Effect.Effect<void, NotFound | PreconditionFailed | StorageUnreachable>
    /** The names with their sources, ordered by name. */
    readonly list: (tenant: TenantId) => Effect.Effect<ReadonlyArray<SecretEntry>, StorageUnreachable>
    /** A warning for each of these names that does not exist. The keys are names, the values components. */
    readonly warnings: (
      tenant: TenantId,
      used: ReadonlyMap<string, string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
    /** The values of these names for a run, or why it cannot have them. */
    readonly values: (
      tenant: TenantId,
      used: ReadonlyMap<string, string>
    ) => Effect.Effect<Result.Result<Redacted.Redacted<SecretValues>, string>, StorageUnreachable>
  }
>()("flow/secrets/Secrets") {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const store = yield* SecretStore
      const audit = yield* Audit
      const { folder, accessFile } = yield* ConfiguredSecrets
      const stored: SecretSource = {
        where: () => "in the store of secrets",
        names: (tenant) => Effect.map(store.list(tenant), (all) => all.map(({ name }) => name)),
        read: store.read
      }
      /** The first source that has a name provides its value. */
      const sources: ReadonlyArray<readonly [SecretEntry["source"], SecretSource]> = [
        ["store", stored],
        ...(folder === undefined ? [] : [["folder", folder] as const]),
        ["accessFile", accessFile]
      ]

      const read = Effect.fnUntraced(function* (tenant: TenantId, name: string) {
        for (const [, source] of sources) {
          const found = yield* source.read(tenant, name)
          if (found !== undefined) return found
        }
        const places = sources.map(([, { where }]) => where(tenant))
        return yield* new UnusableSecret({
          detail: `there is no secret ${name}: it is not ${places.slice(0, -1).join(", not ")}, and not ${places.at(-1)}`
        })
      })

      const list = Effect.fn("Secrets.list")(function* (tenant: TenantId) {
        const found = new Map<string, SecretEntry>()
        for (const entry of yield* store.list(tenant)) found.set(entry.name, { source: "store", ...entry })
        for (const [source, { names }] of sources.slice(1)) {
          for (const name of yield* names(tenant)) if (!found.has(name)) found.set(name, { name, source })
        }
        return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
      })

      return Secrets.of({
        put: Effect.fn("Secrets.put")(function* (tenant, name, body, state = anyState) {
          const value = yield* valueOf(body)
          const { id } = yield* CurrentPrincipal
          const stored = yield* audit.change(tenant, store.put(tenant, name, value, id, mostSecrets, state), (done) =>
            done === "stored" ? { action: "secrets.put", target: name } : undefined
          )
          if (stored === "stored") return
          if (stored === "excluded") return yield* excluded
          const full = { limit: "secrets", value: mostSecrets, used: mostSecrets + 1, key: `tenant:${tenant}`, tenant }
          return yield* new TooMany(full)
        }),
        remove: Effect.fn("Secrets.remove")(function* (tenant, name, { present } = anyState) {
          if (!present && (yield* store.list(tenant)).some((entry) => entry.name === name)) return yield* excluded
          const removed = yield* audit.change(tenant, store.remove(tenant, name), (isRemoved) =>
            isRemoved ? { action: "secrets.remove", target: name } : undefined
          )
          if (!removed) return yield* new NotFound({ kind: "secret", tenant, id: name })
        }),
        list,
        warnings: Effect.fn("Secrets.warnings")(function* (tenant, used) {
          if (used.size === 0) return []
          const known = new Set((yield* list(tenant)).map(({ name }) => name))
          const missing = [...used].filter(([name]) => !known.has(name))
          const others = missing.length - maxSuggestions
          return [
            ...missing.slice(0, maxSuggestions).map(([name, component]) => {
              const near = suggestion(name, known)
              const otherwise = near === "" ? ": runs" : `${near} Runs`
              return `${component}: there is no secret ${JSON.stringify(name)} yet${otherwise} fail without it`
            }),
            ...(others > 0 ? [`There are ${others} more secrets that do not exist yet`] : [])
          ]
        }),
        values: Effect.fn("Secrets.values")(
          function* (tenant, used) {
            const found = yield* Effect.forEach(
              used,
              ([name, component]) =>
                Effect.mapError(read(tenant, name), (error) =>
                  error._tag === "UnusableSecret" ? `${component}: ${error.detail}` : error
                ),
              { concurrency: 8 }
            )
            const values = found.map(Redacted.value)
            if (values.reduce((size, value) => size + bytesOf(value), 0) > flowlineSecretBytes) {
              return yield* Effect.fail(
                `the secrets of the flowline have more than ${flowlineSecretBytes} bytes together`
              )
            }
            return Redacted.make(Object.fromEntries([...used.keys()].map((name, index) => [name, values[index] ?? ""])))
          },
          Effect.map(Result.succeed),
          Effect.catch((error) => (typeof error === "string" ? Effect.succeed(Result.fail(error)) : Effect.fail(error)))
        )
      })
    })
  )
}
