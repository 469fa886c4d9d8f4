import { Effect, type Scope } from "effect"
import { catalogue, isNeeding } from "../../nodes/Catalogue.ts"
import { observeQueue } from "../../services/shared/Observed.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { lastingPlaces, Turns } from "../../services/shared/Turns.ts"

/** The part of a flowline that tells what it searches. */
interface Searching {
  readonly dag: ReadonlyArray<{ readonly type: string; readonly settings?: unknown }>
}

/** Connections with which a run reads large indices in parallel and counts meanwhile. */
const comfortable = 3

/** Connections without which a run would wait for itself: one for each input, and one for all nodes that write. */
export const leastConnections = ({ dag }: Searching): number => {
  const kinds = dag.flatMap((node) => (isNeeding(node, "search") ? [catalogue.get(node.type)?.kind] : []))
  const inputs = kinds.filter((kind) => kind === "input").length
  return inputs + (kinds.length > inputs ? 1 : 0)
}

/**
 * The connections to the database that all runs share. A run holds its part until the scope closes: some more than it
 * needs while more than half are free. A run that does not fit waits, in turns between tenants.
 */
export const sharedConnections = Effect.fnUntraced(function* (all: number) {
  // Runs hold few each, so what is kept is for tenants without any; a tenant alone may have the rest.
  const turns = new Turns({ ...lastingPlaces({ all, each: all - 1 }), each: all })
  yield* observeQueue("run_connections", turns)
  return (tenant: TenantId, flowline: Searching): Effect.Effect<number, never, Scope.Scope> =>
    Effect.suspend(() => {
      const least = Math.min(leastConnections(flowline), all)
      if (least === 0) return Effect.succeed(0)
      const size = turns.free > all / 2 ? Math.min(Math.max(least, comfortable), all) : least
      return Effect.as(turns.place(tenant, size), size)
    })
})
