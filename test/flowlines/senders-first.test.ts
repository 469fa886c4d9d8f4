import { expect, it } from "@effect/vitest"
import { Effect, Graph, Schema } from "effect"
import { topologicalOrder } from "../../src/protocol/TopologicalOrder.ts"

const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))
const Ways = Schema.Array(Schema.Struct({ a: place, b: place }))

it.effect.prop("nodes stand in the order in which Effect's graphs give them", { pairs: Ways }, ({ pairs }) =>
  Effect.sync(() => {
    // From the smaller to the larger place: no cycles.
    const ways = pairs.flatMap(({ a, b }) => (a === b ? [] : [{ from: Math.min(a, b), to: Math.max(a, b) }]))
    const graph = Graph.directed<number, null>((mutable) => {
      for (let node = 0; node < 8; node++) Graph.addNode(mutable, node)
      for (const { from, to } of ways) Graph.addEdge(mutable, from, to, null)
    })
    expect(topologicalOrder(8, ways)).toEqual([...Graph.indices(Graph.topo(graph))])
  })
)

it("nodes of cycles, and those behind them, are missing", () => {
  const ways = [
    { from: 3, to: 0 },
    { from: 1, to: 2 },
    { from: 2, to: 1 },
    { from: 2, to: 4 }
  ]
  expect(topologicalOrder(5, ways)).toEqual([3, 0])
})
