import { Effect, Layer, Stream, SubscriptionRef } from "effect"
import type { Roots } from "../../protocol/Roots.ts"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { defaultLimitsOf, type Limits, withLimits } from "../../services/limits/Limits.ts"
import { TenantRules } from "../../services/limits/TenantRules.ts"
import { withRoots } from "../../services/shared/settings/RootRules.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { TenantId } from "../../services/shared/Tenant.ts"

/** The rules of one version of the access file. */
interface Known {
  readonly file: AccessFile | undefined
  readonly general: Limits
  readonly own: ReadonlyMap<string, Limits>
  readonly roots: ReadonlyMap<string, Roots>
  readonly suspended: ReadonlySet<string>
}

/** The limits of the settings, overridden by those of the access file. */
export const layer = Layer.effect(
  TenantRules,
  Effect.gen(function* () {
    const rules = yield* AccessRules
    const settings = yield* Settings
    const defaults = defaultLimitsOf(settings)
    const read = (file: AccessFile | undefined): Known => {
      const general = withLimits(defaults, file?.limits)
      const tenants = Object.entries(file?.tenants ?? {})
      return {
        file,
        general,
        own: new Map(tenants.map(([tenant, { limits }]) => [tenant, withLimits(general, limits)])),
        roots: new Map(tenants.map(([tenant, { roots }]) => [tenant, withRoots(settings.roots, roots)])),
        suspended: new Set(tenants.filter(([, { suspended }]) => suspended === true).map(([tenant]) => tenant))
      }
    }
    let known = read(rules.current())
    const current = (): Known => {
      const file = rules.current()
      if (file !== known.file) known = read(file)
      return known
    }
    const suspensions = yield* SubscriptionRef.make(known.suspended)
    yield* rules.changes.pipe(
      Stream.runForEach(() => SubscriptionRef.set(suspensions, current().suspended)),
      Effect.forkScoped
    )
    const until = (holds: (suspended: ReadonlySet<string>) => boolean) =>
      SubscriptionRef.changes(suspensions).pipe(Stream.filter(holds), Stream.runHead, Effect.asVoid)
    return TenantRules.of({
      limitsOf: (tenant) => current().own.get(tenant) ?? known.general,
      general: () => current().general,
      rootsOf: (tenant) => current().roots.get(tenant) ?? settings.roots,
      isSuspended: (tenant) => current().suspended.has(tenant),
      suspended: () => [...current().suspended].map((tenant) => TenantId(tenant)),
      untilSuspended: (tenant) => until((suspended) => suspended.has(tenant)),
      untilAllowed: (tenant) => until((suspended) => !suspended.has(tenant))
    })
  })
)
