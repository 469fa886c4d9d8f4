import { Effect, Metric } from "effect"
import { type TenantId, Tenants } from "../shared/Tenant.ts"
import { ExecutionStore } from "./ExecutionStore.ts"

const pending = Metric.gauge("flow_executions_pending", {
  description: "Executions that wait, in all gateways together: each of them gives the same number"
})

/** Measures the executions of each tenant that wait. A tenant without any has 0, one that is no longer configured none. */
export const pendingMeasurement = Effect.gen(function* () {
  const store = yield* ExecutionStore
  const tenants = yield* Tenants
  let shown: ReadonlySet<TenantId> = new Set()
  const series = (tenant: TenantId) => Metric.withAttributes(pending, { tenant })
  const show = (counts: ReadonlyMap<TenantId, number>) =>
    Effect.suspend(() => {
      const gone = [...shown].filter((tenant) => !counts.has(tenant))
      shown = new Set(counts.keys())
      return Effect.andThen(
        Effect.forEach(gone, (tenant) => Metric.remove(series(tenant)), { discard: true }),
        Effect.forEach(counts, ([tenant, count]) => Metric.update(series(tenant), count), { discard: true })
      )
    })
  const measure = Effect.gen(function* () {
    const counts = yield* store.pendingOfAll
    const names = yield* tenants.names
    yield* show(new Map([...names.map((name) => [name, 0] as const), ...counts]))
  })
  return { measure, forget: show(new Map()) }
})
