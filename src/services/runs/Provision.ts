import { Context, Effect, Layer, type Result } from "effect"
import { type FlowlineReference, needs, references as referencesOf, rootsOf } from "../../nodes/Catalogue.ts"
import { secretsOf } from "../../nodes/flowline/SecretSettings.ts"
import { type RunLimit, runLimits } from "../../protocol/Allowances.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import { type ResolvedReference, referenceKey } from "../../protocol/References.ts"
import type { Root, Roots } from "../../protocol/Roots.ts"
import type { RunSpec } from "../../protocol/RunProtocol.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { FileMeter, UsageStore } from "../limits/UsageStore.ts"
import { TenantPatterns } from "../operators/TenantPatterns.ts"
import { TenantNodes } from "../scan/TenantNodes.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { rootFault } from "../shared/settings/RootRules.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { retryWhileDatabaseAway } from "./Outage.ts"
import { References } from "./ResolvedReferences.ts"

/** The data of the tenant that a run needs besides its flowline. */
type Provisions = Pick<
  RunSpec,
  "references" | "patterns" | "modules" | "secrets" | "allowances" | "roots" | "rootNames"
>

const away = (what: string, storage: string) => `${what} cannot be read: the ${storage} storage cannot be reached`

/** Collects what a flowline needs of its tenant: referenced files, grok patterns, Python nodes, secrets. */
export class Provision extends Context.Service<
  Provision,
  {
    /** Returns the data for a run, or a message why the flowline cannot run. */
    readonly of: (tenant: TenantId, flowline: Flowline) => Effect.Effect<Result.Result<Provisions, string>>
  }
>()("flow/runs/Provision") {
  static readonly layer = Layer.effect(
    Provision,
    Effect.gen(function* () {
      const references = yield* References
      const tenantPatterns = yield* TenantPatterns
      const tenantNodes = yield* TenantNodes
      const secrets = yield* Secrets
      const rules = yield* TenantRules
      const usage = yield* UsageStore
      const meter = yield* FileMeter

      const resolve = (tenant: TenantId, wanted: ReadonlyArray<FlowlineReference>) =>
        Effect.forEach(
          wanted,
          ({ reference, component }) => {
            const key = referenceKey(reference)
            const where = component === undefined ? "" : `${component}: `
            return references.resolve(tenant, reference).pipe(
              retryWhileDatabaseAway,
              Effect.map((resolved): readonly [string, ResolvedReference] => [key, resolved]),
              Effect.mapError((error) =>
                error._tag === "NotFound" ? `${where}there is no ${key}` : where + away(key, error.storage)
              )
            )
          },
          { concurrency: 8 }
        ).pipe(Effect.map(Object.fromEntries<ResolvedReference>))

      /** The roots that the flowline names, as the operator has them now. */
      const namedRoots = (tenant: TenantId, flowline: Flowline): Effect.Effect<Roots, string> => {
        const known = rules.rootsOf(tenant)
        const named = new Map<string, Root>()
        for (const { component, ...use } of rootsOf(flowline)) {
          const fault = rootFault(use, known)
          if (fault !== undefined) return Effect.fail(`${component}: ${fault}`)
          if (!Object.hasOwn(known, use.name)) continue
          const writable = use.writes || named.get(use.name)?.writable === true
          named.set(use.name, { path: known[use.name]!.path, writable })
        }
        return Effect.succeed(Object.fromEntries(named))
      }

      /** What the tenant has left of the limits that its runs keep. Nothing is asked where there is no limit. */
      const allowancesOf = Effect.fnUntraced(function* (tenant: TenantId) {
        const limits = rules.limitsOf(tenant)
        const values = runLimits.flatMap((name) => {
          const { value } = limits[name]
          return value === undefined ? [] : [[name, value] as const]
        })
        if (values.length === 0) return undefined
        const isAny = (...names: ReadonlyArray<RunLimit>) => values.some(([name]) => names.includes(name))
        const stored = isAny("archives", "archiveBytes") ? yield* retryWhileDatabaseAway(usage.of(tenant)) : undefined
        const files = isAny("dataFiles", "dataBytes") ? yield* retryWhileDatabaseAway(meter.of(tenant)) : undefined
        // Runs that write documents measure them themselves.
        const used: Readonly<Partial<Record<RunLimit, number>>> = { ...stored, ...files }
        return Object.fromEntries(values.map(([name, value]) => [name, { value, used: used[name] ?? 0 }]))
      })

      return Provision.of({
        of: Effect.fn("Provision.of")(function* (tenant, flowline) {
          const roots = yield* namedRoots(tenant, flowline)
          const found = yield* resolve(tenant, referencesOf(flowline))
          const patterns = needs(flowline, "patterns")
            ? yield* Effect.mapError(retryWhileDatabaseAway(tenantPatterns.of(tenant)), ({ storage }) =>
                away("the tenant's patterns", storage)
              )
            : undefined
          const modules =
            flowline.runtime === "pybatch"
              ? yield* Effect.mapError(retryWhileDatabaseAway(tenantNodes.files(tenant)), ({ storage }) =>
                  away("the tenant's nodes", storage)
                )
              : undefined
          const used = secretsOf(flowline)
          const values =
            used.size === 0
              ? undefined
              : yield* retryWhileDatabaseAway(secrets.values(tenant, used)).pipe(
                  Effect.mapError(({ storage }) => away("the tenant's secrets", storage)),
                  Effect.flatMap(Effect.fromResult)
                )
          const allowances = yield* Effect.mapError(allowancesOf(tenant), ({ storage }) =>
            away("what the tenant has stored", storage)
          )
          return {
            references: found,
            roots,
            rootNames: Object.keys(rules.rootsOf(tenant)),
            ...(allowances === undefined ? {} : { allowances }),
            ...(patterns === undefined ? {} : { patterns }),
            ...(modules === undefined ? {} : { modules }),
            ...(values === undefined ? {} : { secrets: values })
          }
        }, Effect.result)
      })
    })
  )
}
