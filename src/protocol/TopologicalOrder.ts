/** An edge of a graph; `from` and `to` are indices of nodes. */
export interface IndexEdge {
  readonly from: number
  readonly to: number
}

/**
 * A topological order of a graph with `size` nodes: first the nodes without senders, in index order, then each node
 * after its last sender. Nodes in a cycle and the nodes that depend on them are left out.
 */
export const topologicalOrder = (size: number, edges: ReadonlyArray<IndexEdge>): ReadonlyArray<number> => {
  const missing = new Array<number>(size).fill(0)
  const receivers = missing.map((): Array<number> => [])
  for (const { from, to } of edges) {
    missing[to]!++
    receivers[from]!.push(to)
  }
  const order = missing.flatMap((count, node) => (count === 0 ? [node] : []))
  for (const node of order) {
    for (const to of receivers[node]!) if (--missing[to]! === 0) order.push(to)
  }
  return order
}

/** The nodes with senders before receivers: {@link topologicalOrder}. */
export const sendersFirst = <A>(
  nodes: ReadonlyArray<A>,
  receiversOf: (node: A) => ReadonlyArray<A>
): ReadonlyArray<A> => {
  const places = new Map(nodes.map((node, place) => [node, place]))
  const edges = nodes.flatMap((node, from) =>
    receiversOf(node).map((receiver) => ({ from, to: places.get(receiver)! }))
  )
  return topologicalOrder(nodes.length, edges).map((place) => nodes[place]!)
}
