import { Context, Effect, Layer } from "effect"
import { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { BoundedMap } from "../../languages/BoundedMap.ts"
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
      const remembered = new BoundedMap<string, Remembered>(maxRemembered)
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

      const recall = Effect.fnUntraced(function* (tenant: TenantId, version: string) {
        const known = remembered.get(tenant)
        return known?.version === version && (yield* monotonicNow) < known.until ? known.nodes : undefined
      })
      const scanned = Effect.fnUntraced(function* (tenant: TenantId, version: string) {
        // The scan that this one waited for may have found them.
        const known = yield* recall(tenant, version)
        if (known !== undefined) return known
        const now = yield* monotonicNow
        const { nodes, isSettled } = yield* tenantNodes.scan(tenant)
        remembered.set(tenant, { version, nodes, until: isSettled ? Infinity : now + unsettledMillis })
        return nodes
      })
      // The version is read without a place: while the storage does not answer, requests would wait for each other.
      const own = Effect.fnUntraced(function* (tenant: TenantId) {
        const version = yield* tenantNodes.version(tenant)
        return (yield* recall(tenant, version)) ?? (yield* turns.within(tenant, scanned(tenant, version)))
      })
      const ofRuntime = (runtime: Runtime, found: ReadonlyArray<NodeDescriptor>) => [
        ...(builtin.get(runtime) ?? []),
        ...found.filter((node) => node.runtimes.includes(runtime))
      ]

      return Scan.of({
        own,
        nodes: Effect.fn("Scan.nodes")(function* (tenant, runtime) {
          return ofRuntime(runtime, yield* own(tenant))
        }),
        all: Effect.fn("Scan.all")(function* (tenant) {
          const found = yield* own(tenant)
          return {
            analytics: ofRuntime("analytics", found),
            pybatch: ofRuntime("pybatch", found),
            stream: ofRuntime("stream", found)
          }
        }),
        reset: Effect.fn("Scan.reset")(function* (tenant) {
          yield* audit.begin({ tenant, action: "scan.reset", target: "" })
          remembered.delete(tenant)
        })
      })
    })
  )
}
