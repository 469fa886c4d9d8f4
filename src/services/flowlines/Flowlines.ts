import { Context, Effect, Layer, type Stream } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { QueueFull } from "../../errors/QueueFull.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { hints } from "../../nodes/Hints.ts"
import { secretsOf } from "../../nodes/SecretSettings.ts"
import { Audit } from "../audit/Audit.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { TenantPatterns } from "../operators/TenantPatterns.ts"
import { Platform } from "../platform/Platform.ts"
import { ownNodes } from "../scan/OwnNodes.ts"
import { Scan } from "../scan/Scan.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { type Commit, unkeyed } from "../shared/Commit.ts"
import { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"
import { Settings } from "../shared/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { textDigest } from "../shared/TextDigest.ts"
import { type Definition, FlowlineDecoder, type FlowlineFile } from "./Decoder.ts"
import { FlowlineStore, type FlowlineVersion } from "./FlowlineStore.ts"

/**
 * A new flowline id: 20 URL-safe characters. The first is a letter or digit, so that tools do not parse it as an
 * option.
 */
const newId = Effect.sync(() => {
  for (;;) {
    const id = Base64Url.encode(crypto.getRandomValues(new Uint8Array(15)))
    if (/^[A-Za-z0-9]/.test(id)) return FlowlineId(id)
  }
})

/** The entity tag of a version without its quotes, for `If-Match`. */
export const tagOf = (id: FlowlineId, version: number): string => `${id}.${version}`

/** The versions of the flowline `id` that an `If-Match` header names; `undefined` when it allows any. */
const expectedVersions = (id: FlowlineId, ifMatch: string | undefined): ReadonlyArray<number> | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined
  return ifMatch.split(",").flatMap((tag) => {
    const version = /^\s*"(.*)\.(\d{1,9})"\s*$/.exec(tag)
    return version?.[1] === id ? [Number(version[2])] : []
  })
}

/** The name that clients know for a tenant's collection of flowlines. */
export const indexOf = (tenant: TenantId): string => `${tenant}-flowlines`

/** A saved version. `warnings` name what may prevent it from running on this machine, or from keeping a promise. */
export interface Saved {
  readonly id: FlowlineId
  readonly version: number
  readonly warnings: ReadonlyArray<string>
}

export class Flowlines extends Context.Service<
  Flowlines,
  {
    /** Saves a new flowline, or the next version of `id`. */
    readonly save: (
      tenant: TenantId,
      file: FlowlineFile,
      into: { readonly id?: FlowlineId; readonly ifMatch?: string },
      commit?: Commit<Saved>
    ) => Effect.Effect<Saved, BadRequest | Conflict | NotFound | Overloaded | PreconditionFailed | StorageUnreachable>
    /** Reads and validates a file for the tenant, without storing it. */
    readonly check: (
      tenant: TenantId,
      file: FlowlineFile
    ) => Effect.Effect<Definition, BadRequest | Overloaded | StorageUnreachable>
    /**
     * Reads and validates a file; the returned effect stores it as a new flowline. One that is not `listed` is for a
     * single run.
     */
    readonly draft: (
      tenant: TenantId,
      file: FlowlineFile,
      listed: boolean
    ) => Effect.Effect<Effect.Effect<FlowlineVersion, StorageUnreachable>, BadRequest | Overloaded | StorageUnreachable>
    /** A version of a saved flowline, by default the current one. */
    readonly get: (
      tenant: TenantId,
      id: FlowlineId,
      version?: number
    ) => Effect.Effect<FlowlineVersion, NotFound | StorageUnreachable>
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    readonly remove: (tenant: TenantId, id: FlowlineId) => Effect.Effect<void, NotFound | StorageUnreachable>
  }
>()("flow/flowlines/Flowlines") {
  static readonly layer = Layer.effect(
    Flowlines,
    Effect.gen(function* () {
      const store = yield* FlowlineStore
      const decoder = yield* FlowlineDecoder
      const platform = yield* Platform
      const scan = yield* Scan
      const audit = yield* Audit
      const patterns = yield* TenantPatterns
      const secrets = yield* Secrets
      const rules = yield* TenantRules
      const { ceilings } = yield* Settings
      const missing = (tenant: TenantId, id: FlowlineId, version?: number) =>
        version === undefined
          ? new NotFound({ kind: "flowline", tenant, id })
          : new NotFound({
              kind: "flowline",
              tenant,
              id,
              detail: `There is no version ${version} of a flowline "${id}"`
            })

      const check = Effect.fn("Flowlines.check")(function* (tenant: TenantId, file: FlowlineFile) {
        const document = yield* decoder.parse(file, tenant)
        // Scanning a tenant's nodes is slow, so it is done only for flowlines that may use them.
        const own = document.needs.ownNodes ? yield* scan.own(tenant) : undefined
        const shared = document.needs.patterns ? yield* patterns.of(tenant) : undefined
        const definition = yield* decoder.validate(document, {
          tenant,
          ceilings,
          roots: rules.rootsOf(tenant),
          ...(own === undefined ? {} : { own }),
          ...(shared === undefined ? {} : { patterns: shared })
        })
        return { own, definition }
      }, Effect.scoped)

      const prepare = Effect.fn("Flowlines.prepare")(function* (tenant: TenantId, file: FlowlineFile) {
        const {
          own,
          definition: { dag, flowline }
        } = yield* check(tenant, file)
        const isUnchecked = flowline.runtime === "pybatch" && own !== undefined && ownNodes(own).isUnknown
        const unchecked = isUnchecked ? (own ?? []).flatMap(({ error }) => error?.message ?? []) : []
        const missing = yield* secrets.warnings(tenant, secretsOf(flowline))
        const warnings = [...unchecked, ...hints(flowline), ...missing]
        return { definition: { dag, platformId: yield* platform.platformId }, warnings }
      })

      return Flowlines.of({
        save: Effect.fn("Flowlines.save")(function* (tenant, file, into, commit = unkeyed) {
          if (into.id === undefined) {
            if (into.ifMatch !== undefined) {
              return yield* new PreconditionFailed({ detail: "If-Match needs the id of a flowline to match" })
            }
            const { definition, warnings } = yield* prepare(tenant, file)
            const created = store.create(tenant, { ...definition, id: yield* newId }, true)
            const after = yield* textDigest(definition.dag)
            const saved = audit.change(tenant, created, ({ id }) => ({ action: "flowlines.save", target: id, after }))
            return yield* commit(Effect.map(saved, ({ id, version }) => ({ id, version, warnings })))
          }
          const id = into.id
          if ((yield* store.get(tenant, id)) === undefined) return yield* missing(tenant, id)
          const expected = expectedVersions(id, into.ifMatch)
          const { definition, warnings } = yield* prepare(tenant, file)
          const after = yield* textDigest(definition.dag)
          const revised = Effect.gen(function* () {
            const revision = yield* audit.change(
              tenant,
              store.revise(tenant, { ...definition, id }, expected),
              (made) =>
                made._tag === "Saved" ? { action: "flowlines.save", target: id, before: made.before, after } : undefined
            )
            if (revision._tag === "Missing") return yield* missing(tenant, id)
            if (revision._tag === "Changed") {
              return yield* new PreconditionFailed({ detail: "The flowline has another version than If-Match names" })
            }
            return { id, version: revision.version, warnings }
          })
          return yield* commit(revised)
        }),
        check: (tenant, file) => Effect.map(check(tenant, file), ({ definition }) => definition),
        draft: Effect.fn("Flowlines.draft")(function* (tenant, file, listed) {
          const { definition } = yield* prepare(tenant, file)
          return store.create(tenant, { ...definition, id: yield* newId }, listed)
        }),
        get: (tenant, id, version) =>
          Effect.flatMap(store.get(tenant, id, version), (found) =>
            found === undefined ? missing(tenant, id, version) : Effect.succeed(found)
          ),
        list: store.list,
        remove: Effect.fn("Flowlines.remove")(function* (tenant, id) {
          const removed = yield* audit.change(tenant, store.remove(tenant, id), (before) =>
            before === undefined ? undefined : { action: "flowlines.remove", target: id, before }
          )
          if (removed === undefined) return yield* missing(tenant, id)
        })
      })
    })
  )
}

/** A started execution, with its flowline. */
export interface Started {
  readonly id: string
  readonly flowlineId: FlowlineId
}

/** Starts executions of flowlines. The executions provide it, as they stand on the flowlines. */
export class Starter extends Context.Service<
  Starter,
  {
    readonly execute: (
      tenant: TenantId,
      flowlineId: FlowlineId,
      version?: number,
      commit?: Commit<Started>
    ) => Effect.Effect<Started, Conflict | NotFound | QueueFull | StorageUnreachable>
    /** Runs a flowline file once, without saving it. */
    readonly executeOnce: (
      tenant: TenantId,
      file: FlowlineFile,
      commit?: Commit<Started>
    ) => Effect.Effect<Started, BadRequest | Conflict | Overloaded | QueueFull | StorageUnreachable>
  }
>()("flow/flowlines/Starter") {}
