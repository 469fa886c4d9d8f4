/** A way from one node to another, both by their places in the graph. */
export interface Way {
  readonly from: number
  readonly to: number
}

/**
 * The nodes of a graph with `size` nodes, senders before receivers: first those without senders, in their own order,
 * then each as soon as its last sender stands. Nodes of a cycle, and those behind one, are missing.
 */
export const sendersFirst = (size: number, ways: ReadonlyArray<Way>): ReadonlyArray<number> => {
  const missing = new Array<number>(size).fill(0)
  const receivers = missing.map((): Array<number> => [])
  for (const { from, to } of ways) {
    missing[to]!++
    receivers[from]!.push(to)
  }
  const order = missing.flatMap((count, node) => (count === 0 ? [node] : []))
  for (const node of order) {
    for (const to of receivers[node]!) if (--missing[to]! === 0) order.push(to)
  }
  return order
}
