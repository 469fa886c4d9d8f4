import { Context, Effect, Layer, type Stream } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TooLarge } from "../../errors/TooLarge.ts"
import type { TooMany } from "../../errors/TooMany.ts"
import type { Position } from "../../languages/document/DocumentSource.ts"
import { hints } from "../../nodes/flowline/Hints.ts"
import { secretsOf } from "../../nodes/flowline/SecretSettings.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { KeptValues, Values } from "../../protocol/Parameters.ts"
import { mayRefer } from "../../protocol/ValueReferences.ts"
import { Audit } from "../audit/Audit.ts"
import { type OverQuota, overQuota, type Quota, quotaOf } from "../blobs/Quota.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { TenantPatterns } from "../operators/TenantPatterns.ts"
import { Platform } from "../platform/Platform.ts"
import { ownNodes } from "../scan/OwnNodes.ts"
import { Scan } from "../scan/Scan.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import { OwnPorts } from "../shared/process/OwnPorts.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { TenantVariables } from "../variables/TenantVariables.ts"
import { type Definition, FlowlineDecoder } from "./Decoder.ts"
import type { FlowlineFile } from "./FlowlineFile.ts"
import { expectedVersions, missingFlowline, newId } from "./FlowlineNames.ts"
import { type FlowlineKind, FlowlineStore, type FlowlineVersion } from "./FlowlineStore.ts"

/** A saved version. `warnings` name what may prevent it from running on this machine, or from keeping a promise. */
export interface SavedFlowline {
  readonly id: FlowlineId
  readonly version: number
  readonly warnings: ReadonlyArray<string>
}

/** Where a file is saved: as a new flowline, or as the next version of `id`. */
export interface SaveInto {
  readonly id?: FlowlineId
  readonly ifMatch?: string
  /** The file is that of this version. `isMade`: it was made of the version's definition. */
  readonly restores?: { readonly version: number; readonly isMade: boolean }
}

/** A version that is about to be executed, and the values that the execution keeps, if it has any. */
export interface VersionWithValues extends FlowlineVersion {
  readonly kept?: KeptValues
}

/** A valid flowline file with what may be said of its parts. */
export interface OpenFlowline {
  readonly flowline: Flowline
  readonly warnings: ReadonlyArray<string>
  /** The positions of the values at these JSON pointers in the file; empty if it is not the user's. */
  readonly positions: (
    pointers: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Position>, BadRequest | Overloaded>
}

export class Flowlines extends Context.Service<
  Flowlines,
  {
    /** Saves a new flowline, or the next version of `id`. */
    readonly save: (
      tenant: TenantId,
      file: FlowlineFile,
      into: SaveInto,
      commit?: Commit<SavedFlowline>
    ) => Effect.Effect<
      SavedFlowline,
      BadRequest | Conflict | NotFound | Overloaded | PreconditionFailed | StorageUnreachable | TooLarge | TooMany
    >
    /** Reads and validates a file for the tenant, and can find the places of its parts. */
    readonly open: (
      tenant: TenantId,
      file: FlowlineFile,
      given?: Values
    ) => Effect.Effect<OpenFlowline, BadRequest | Overloaded | StorageUnreachable>
    /**
     * Reads and validates a file for the tenant, without storing it: with the parameters that are given, else as it would
     * be saved.
     */
    readonly check: (
      tenant: TenantId,
      file: FlowlineFile,
      given?: Values
    ) => Effect.Effect<Definition, BadRequest | Overloaded | StorageUnreachable>
    /**
     * Reads and validates a file; the returned effect stores it as a new flowline that is not listed. With `given` it is
     * validated with these parameters, for an execution.
     */
    readonly draft: (
      tenant: TenantId,
      file: FlowlineFile,
      keeping: Exclude<FlowlineKind, "saved">,
      given?: Values
    ) => Effect.Effect<
      Effect.Effect<VersionWithValues, StorageUnreachable>,
      BadRequest | Overloaded | StorageUnreachable
    >
    /** Validates a version with the parameters that an execution gives. The faults name each one that is wrong. */
    readonly withParameters: (
      tenant: TenantId,
      flowline: FlowlineVersion,
      given: Values
    ) => Effect.Effect<VersionWithValues, BadRequest | Overloaded | StorageUnreachable>
    /** A version of a saved flowline, by default the current one. */
    readonly get: (
      tenant: TenantId,
      id: FlowlineId,
      version?: number
    ) => Effect.Effect<FlowlineVersion, NotFound | StorageUnreachable>
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Removes a flowline; with `seen`, only while that is its current version. */
    readonly remove: (
      tenant: TenantId,
      id: FlowlineId,
      seen?: number
    ) => Effect.Effect<void, NotFound | PreconditionFailed | StorageUnreachable>
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
      const refusals = yield* LimitRefusals
      const variables = yield* TenantVariables
      const { ceilings } = yield* Settings
      const ownPorts = yield* OwnPorts

      const withinQuota = <A>(
        tenant: TenantId,
        quota: Quota,
        writes: Effect.Effect<A, OverQuota | StorageUnreachable>
      ) =>
        Effect.catchTag(writes, "OverQuota", ({ usage }) => refusals.refused(tenant, overQuota(tenant, usage, quota)))

      const check = Effect.fn("Flowlines.check")(function* (tenant: TenantId, file: FlowlineFile, given?: Values) {
        const values = { variables: yield* variables.of(tenant), ...(given === undefined ? {} : { given }) }
        const document = yield* decoder.parse(file, tenant, values)
        // Scanning a tenant's nodes is slow, so it is done only for flowlines that may use them.
        const own = document.needs.ownNodes ? yield* scan.own(tenant) : undefined
        const shared = document.needs.patterns ? yield* patterns.of(tenant) : undefined
        const definition = yield* decoder.validate(document, {
          tenant,
          ceilings,
          roots: rules.rootsOf(tenant),
          ownPorts: ownPorts.all(),
          ...(own === undefined ? {} : { own }),
          ...(shared === undefined ? {} : { patterns: shared })
        })
        return { own, definition }
      }, Effect.scoped)

      const prepare = Effect.fn("Flowlines.prepare")(function* (tenant: TenantId, file: FlowlineFile, given?: Values) {
        const { own, definition } = yield* check(tenant, file, given)
        const { dag, flowline, kept } = definition
        const isUnchecked = flowline.runtime === "pybatch" && own !== undefined && ownNodes(own).isUnknown
        const unchecked = isUnchecked ? (own ?? []).flatMap(({ error }) => error?.message ?? []) : []
        const missing = yield* secrets.warnings(tenant, secretsOf(flowline))
        const warnings = [...unchecked, ...hints(flowline), ...missing, ...definition.warnings]
        return { definition: { dag, platformId: yield* platform.platformId }, flowline, kept, warnings }
      })

      const withParameters = Effect.fn("Flowlines.withParameters")(function* (
        tenant: TenantId,
        flowline: FlowlineVersion,
        given: Values
      ) {
        const isPlain =
          Object.keys(given).length === 0 && !mayRefer(flowline.dag) && !flowline.dag.includes('"parameters":')
        if (isPlain) return flowline
        const file = { name: "flowline.json", bytes: new TextEncoder().encode(flowline.dag) }
        const { definition } = yield* check(tenant, file, given).pipe(
          Effect.catchTag("BadRequest", ({ detail, issues = [] }) =>
            // The positions refer to the stored JSON, which the user has never seen.
            Effect.fail(
              new BadRequest({
                ...(detail === undefined ? {} : { detail }),
                issues: issues.map(({ line: _, column: __, ...issue }) => issue)
              })
            )
          )
        )
        return { ...flowline, ...(definition.kept === undefined ? {} : { kept: definition.kept }) }
      })

      const create = Effect.fnUntraced(function* (tenant: TenantId, file: FlowlineFile, commit: Commit<SavedFlowline>) {
        const quota = quotaOf(rules.limitsOf(tenant))
        const { definition, warnings } = yield* prepare(tenant, file)
        const created = store.create(tenant, { ...definition, file, id: yield* newId }, "saved", quota)
        const after = yield* hexDigest(definition.dag)
        const saved = audit.change(tenant, created, ({ id }) => ({ action: "flowlines.save", target: id, after }))
        const within = withinQuota(tenant, quota, saved)
        return yield* commit(Effect.map(within, ({ id, version }) => ({ id, version, warnings })))
      })

      const revise = Effect.fnUntraced(function* (
        tenant: TenantId,
        file: FlowlineFile,
        { id, ifMatch, restores }: SaveInto & { readonly id: FlowlineId },
        commit: Commit<SavedFlowline>
      ) {
        const quota = quotaOf(rules.limitsOf(tenant))
        if (!(yield* store.isSaved(tenant, id))) return yield* missingFlowline(tenant, id)
        const expected = expectedVersions(id, ifMatch)
        const { definition, warnings } = yield* prepare(tenant, file)
        const version = {
          ...definition,
          id,
          ...(restores?.isMade === true ? {} : { file }),
          ...(restores === undefined ? {} : { restored: restores.version })
        }
        const action = restores === undefined ? "flowlines.save" : "flowlines.restore"
        const after = yield* hexDigest(definition.dag)
        const revised = audit.change(tenant, store.revise(tenant, version, expected, quota), (made) =>
          made._tag === "Saved" ? { action, target: id, before: made.before, after } : undefined
        )
        const saved = Effect.gen(function* () {
          const revision = yield* withinQuota(tenant, quota, revised)
          if (revision._tag === "Missing") return yield* missingFlowline(tenant, id)
          if (revision._tag === "Changed") {
            return yield* new PreconditionFailed({ detail: "The flowline has another version than If-Match names" })
          }
          return { id, version: revision.version, warnings }
        })
        return yield* commit(saved)
      })

      return Flowlines.of({
        save: Effect.fn("Flowlines.save")((tenant, file, { id, ...into }, commit = unkeyed) => {
          if (id !== undefined) return revise(tenant, file, { id, ...into }, commit)
          if (into.ifMatch === undefined) return create(tenant, file, commit)
          return Effect.fail(new PreconditionFailed({ detail: "If-Match needs the id of a flowline to match" }))
        }),
        open: Effect.fn("Flowlines.open")(function* (tenant, file, given) {
          const { flowline, warnings } = yield* prepare(tenant, file, given)
          return { flowline, warnings, positions: (pointers) => decoder.positions(file, pointers, tenant) }
        }),
        check: (tenant, file, given) => Effect.map(check(tenant, file, given), ({ definition }) => definition),
        draft: Effect.fn("Flowlines.draft")(function* (tenant, file, keeping, given) {
          const { definition, kept } = yield* prepare(tenant, file, given)
          // No quota was given, so it cannot be exceeded.
          const created = Effect.catchTag(
            store.create(tenant, { ...definition, id: yield* newId }, keeping),
            "OverQuota",
            Effect.die
          )
          return Effect.map(created, (version) => ({ ...version, ...(kept === undefined ? {} : { kept }) }))
        }),
        withParameters,
        get: (tenant, id, version) =>
          Effect.flatMap(store.get(tenant, id, version), (found) =>
            found === undefined ? missingFlowline(tenant, id, version) : Effect.succeed(found)
          ),
        list: store.list,
        remove: Effect.fn("Flowlines.remove")(function* (tenant, id, seen) {
          const removed = yield* audit.change(tenant, store.remove(tenant, id, seen), (before) =>
            before === undefined ? undefined : { action: "flowlines.remove", target: id, before }
          )
          if (removed !== undefined) return
          return yield* seen === undefined
            ? missingFlowline(tenant, id)
            : new PreconditionFailed({ detail: "The flowline was changed meanwhile" })
        })
      })
    })
  )
}
