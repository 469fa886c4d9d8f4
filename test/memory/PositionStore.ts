import { Effect, Layer } from "effect"
import { type PositionScope, PositionStore } from "../../src/services/runs/PositionStore.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"

/** Positions in memory. There are no other gateways, so no attempt is ever superseded. */
export const layer = Layer.sync(PositionStore, () => {
  const scopes = new Map<string, Map<string, unknown>>()
  const key = (tenant: TenantId, scope: PositionScope) => JSON.stringify([tenant, scope])
  return PositionStore.of({
    load: (tenant, scope) => Effect.sync(() => Object.fromEntries(scopes.get(key(tenant, scope)) ?? [])),
    save: ({ tenant }, scope, { positions }) =>
      Effect.sync(() => {
        const name = key(tenant, scope)
        scopes.set(name, new Map([...(scopes.get(name) ?? []), ...Object.entries(structuredClone(positions))]))
        return true
      }),
    claimFiles: (_, __, paths) => Effect.succeed(paths.map((path) => ({ path, place: null }))),
    remove: (tenant, scope) => Effect.sync(() => void scopes.delete(key(tenant, scope)))
  })
})
