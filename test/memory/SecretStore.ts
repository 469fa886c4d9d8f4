import { Clock, Effect, Layer, type Redacted } from "effect"
import { anyState, SecretStore, type StoredSecret } from "../../src/services/secrets/SecretStore.ts"

/** The tenants' secrets in the process's memory, for tests. */
export const layer = Layer.sync(SecretStore, () => {
  const rows = new Map<string, Map<string, StoredSecret & { readonly value: Redacted.Redacted<string> }>>()
  const of = (tenant: string) => rows.get(tenant) ?? rows.set(tenant, new Map()).get(tenant)!
  return SecretStore.of({
    put: (tenant, name, value, by, most, state = anyState) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const own = of(tenant)
        if (!(own.has(name) ? state.present : state.absent)) return "excluded"
        if (!own.has(name) && own.size >= most) return "full"
        own.set(name, { name, keyId: "memory", updatedAt: new Date(now).toISOString(), setBy: by, value })
        return "stored"
      }),
    remove: (tenant, name) => Effect.sync(() => of(tenant).delete(name)),
    read: (tenant, name) => Effect.sync(() => of(tenant).get(name)?.value),
    list: (tenant) =>
      Effect.sync(() =>
        [...of(tenant).values()]
          .sort((one, other) => (one.name < other.name ? -1 : 1))
          .map(({ value: _, ...entry }) => entry)
      ),
    rotate: Effect.void,
    keyUse: Effect.succeed(new Map())
  })
})
