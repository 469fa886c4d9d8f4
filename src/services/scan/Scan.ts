import { Context, Effect, Layer } from "effect"
import { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { descriptor, nodesOf } from "../../nodes/Catalogue.ts"
import { type Runtime, runtimes } from "../../protocol/Flowline.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { Audit } from "../audit/Audit.ts"
import { FairSemaphore } from "../shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../shared/process/ObservableMetrics.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { NodeDescriptor, ScanResult } from "./Descriptor.ts"
import { TenantNodes } from "./TenantNodes.ts"

/** Number of tenants whose nodes are cached. */
const maxRemembered = 1000

/** How long a scan is believed that may find something else when it is done again. */
const unsettledMillis = 60_000

/** Tenants whose nodes are scanned at once. Concurrent requests of a tenant wait for one scan. */
const tenantsAtOnce = 4

/** Requests of one tenant that may wait for its scan. */
const mostWaiting = 64

interface Remembered {
  readonly version: string
  readonly nodes: ReadonlyArray<NodeDescriptor>
  /** A time in milliseconds. */
  readonly until: number
}

type Unknown = Overloaded | StorageUnreachable

/** The nodes that a tenant's flowlines can use. */
export class Scan extends Context.Service<
  Scan,
  {
    /** The tenant's own nodes, or a descriptor with the reason why they are unknown. */
    readonly own: (tenant: TenantId) => Effect.Effect<ReadonlyArray<NodeDescriptor>, Unknown>
    /** The nodes of one runtime: those of the catalogue in its order, then the tenant's own. */
    readonly nodes: (tenant: TenantId, runtime: Runtime) => Effect.Effect<ReadonlyArray<NodeDescriptor>, Unknown>
    readonly all: (tenant: TenantId) => Effect.Effect<ScanResult, Unknown>
    /** Discards the cached nodes; the next request scans the tenant's nodes again. */
    readonly reset: (tenant: TenantId) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/scan/Scan") {
  static readonly layer = Layer.effect(
    Scan,
    Effect.gen(function* () {
      const tenantNodes = yield* TenantNodes
      const audit = yield* Audit
      const builtin = new Map(runtimes.map((runtime) => [runtime, nodesOf(runtime).map(descriptor)]))
      const remembered = new Map<string, Remembered>()
      const turns = new FairSemaphore({
        all: tenantsAtOnce,
        each: 1,
        queue: {
          each: mostWaiting,
          full: () =>
            new Overloaded({ detail: `${mostWaiting} requests are already waiting for the nodes of this tenant` })
        }
      })
      yield* observeQueue("scans", turns)

      const fresh = Effect.fnUntraced(function* (tenant: TenantId) {
        const version = yield* tenantNodes.version(tenant)
        const known = remembered.get(tenant)
        const now = yield* monotonicNow
        if (known?.version === version && now < known.until) return known.nodes
        const { nodes, isSettled } = yield* tenantNodes.scan(tenant)
        if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!)
        remembered.set(tenant, { version, nodes, until: isSettled ? Infinity : now + unsettledMillis })
        return nodes
      })
      const own = (tenant: TenantId) => turns.within(tenant, fresh(tenant))

      const nodes = Effect.fn("Scan.nodes")(function* (tenant: TenantId, runtime: Runtime) {
        const found = yield* own(tenant)
        return [...(builtin.get(runtime) ?? []), ...found.filter((node) => node.runtimes.includes(runtime))]
      })
      return Scan.of({
        own,
        nodes,
        all: Effect.fn("Scan.all")(function* (tenant) {
          const [analytics, pybatch, stream] = yield* Effect.all([
            nodes(tenant, "analytics"),
            nodes(tenant, "pybatch"),
            nodes(tenant, "stream")
          ])
          return { analytics, pybatch, stream }
        }),
        reset: Effect.fn("Scan.reset")(function* (tenant) {
          yield* audit.begin({ tenant, action: "scan.reset", target: "" })
          remembered.delete(tenant)
        })
      })
    })
  )
}
