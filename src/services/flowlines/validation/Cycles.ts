import { type IndexEdge, topologicalOrder } from "../../../protocol/TopologicalOrder.ts"

/** A subscription whose component exists. */
export interface Edge extends IndexEdge {
  /** The index among the subscriptions of `to`. */
  readonly index: number
}

/** Maximum number of reported cycles. */
const maxCycles = 20

/**
 * Finds cycles of a graph until none is left. Each is a list of edges, where the last one ends at the beginning of the
 * first. `inside` has the nodes of all cycles. Linear time per cycle.
 */
export const findCycles = (
  size: number,
  edges: ReadonlyArray<Edge>
): { readonly cycles: ReadonlyArray<ReadonlyArray<Edge>>; readonly inside: ReadonlySet<number> } => {
  const inside = new Set<number>()
  const cycles: Array<ReadonlyArray<Edge>> = []
  while (cycles.length < maxCycles) {
    const remaining = edges.filter(({ from, to }) => !inside.has(from) && !inside.has(to))
    const cycle = findCycle(size, remaining)
    if (cycle === undefined) break
    cycles.push(cycle)
    for (const { from } of cycle) inside.add(from)
  }
  return { cycles, inside }
}

const findCycle = (size: number, edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> | undefined => {
  const left = new Set(Array.from({ length: size }, (_, index) => index))
  for (const index of topologicalOrder(size, edges)) left.delete(index)
  // Every remaining node has a remaining sender, so going backwards must reach a node twice.
  const incoming = new Map(
    edges.filter(({ from, to }) => left.has(from) && left.has(to)).map((edge) => [edge.to, edge])
  )
  let at = Math.min(...left.keys().take(1))
  if (!left.has(at)) return undefined
  const path: Array<Edge> = []
  const seen = new Map<number, number>()
  while (!seen.has(at)) {
    seen.set(at, path.length)
    const edge = incoming.get(at)!
    path.push(edge)
    at = edge.from
  }
  return path.slice(seen.get(at)).reverse()
}
