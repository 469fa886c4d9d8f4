import { Effect, type Scope } from "effect"
import { catalogue, isNeeding } from "../../nodes/Catalogue.ts"
import { FairSemaphore, lastingPlaces } from "../../services/shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../../services/shared/process/ObservableMetrics.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"

/** The part of a flowline that determines how many connections it needs. */
interface Searching {
  readonly dag: ReadonlyArray<{ readonly type: string; readonly settings?: unknown }>
}

/**
 * Connections that a run gets at least while many are free, to read large indices in parallel and count at the same
 * time.
 */
const comfortable = 3

/**
 * The fewest connections with which a run cannot block itself: one for each input, and one for all nodes that write.
 */
export const leastConnections = ({ dag }: Searching): number => {
  const kinds = dag.flatMap((node) => (isNeeding(node, "search") ? [catalogue.get(node.type)?.kind] : []))
  const inputs = kinds.filter((kind) => kind === "input").length
  return inputs + (kinds.length > inputs ? 1 : 0)
}

/**
 * The connections to the database that all runs share. A run holds its connections until the scope closes: those that
 * it needs, or {@link comfortable} if that is more and more than half are free. A run that does not fit waits, in turns
 * between tenants.
 */
export const sharedConnections = Effect.fnUntraced(function* (all: number) {
  // Each run holds few, so the reserve is for tenants that hold none; a tenant that is alone may have all the others.
  const turns = new FairSemaphore({ ...lastingPlaces({ all, each: all - 1 }), each: all })
  yield* observeQueue("run_connections", turns)
  return (tenant: TenantId, flowline: Searching): Effect.Effect<number, never, Scope.Scope> =>
    Effect.suspend(() => {
      const least = Math.min(leastConnections(flowline), all)
      if (least === 0) return Effect.succeed(0)
      const size = turns.free > all / 2 ? Math.min(Math.max(least, comfortable), all) : least
      return Effect.as(turns.place(tenant, size), size)
    })
})
