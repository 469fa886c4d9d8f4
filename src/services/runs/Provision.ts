import { Context, Effect, Layer, type Result } from "effect"
import { type FlowlineReference, needs, references as referencesOf } from "../../nodes/Catalogue.ts"
import { secretsOf } from "../../nodes/SecretSettings.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import { type ResolvedReference, referenceKey } from "../../protocol/References.ts"
import type { RunSpec } from "../../protocol/RunProtocol.ts"
import { TenantPatterns } from "../operators/TenantPatterns.ts"
import { TenantNodes } from "../scan/TenantNodes.ts"
import { Secrets } from "../secrets/Secrets.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { retryWhileDatabaseAway } from "./Outage.ts"
import { References } from "./ResolvedReferences.ts"

/** The data of the tenant that a run needs besides its flowline. */
export type Provisions = Pick<RunSpec, "references" | "patterns" | "modules" | "secrets">

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

      return Provision.of({
        of: Effect.fn("Provision.of")(function* (tenant, flowline) {
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
          return {
            references: found,
            ...(patterns === undefined ? {} : { patterns }),
            ...(modules === undefined ? {} : { modules }),
            ...(values === undefined ? {} : { secrets: values })
          }
        }, Effect.result)
      })
    })
  )
}
