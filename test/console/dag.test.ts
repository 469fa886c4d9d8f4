import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { json } from "../../packages/console/src/pages/flowlines/hjson.ts"
import { yaml as notation } from "../../packages/console/src/pages/flowlines/yaml.ts"
import { type Graph, inOrder } from "../../packages/console/src/parts/dag/Graph.ts"
import { layoutOf, nearest, viewOf } from "../../packages/console/src/parts/dag/layout.ts"

const yaml = `runtime: stream
dag:
  - type: file_input # the source
    publish: [ { stream: lines } ]
  - type: grok
    component: parse
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: parsed }, { stream: errors } ]
  - { type: show, subscribe: [ { component: parse, stream: parsed }, { component: parse, stream: errors } ] }
`

const { read } = notation
const graphOf = (text: string) => read(text).graph

describe("the graph of a text", () => {
  it("has nodes by their names and an edge for each stream that is received", () => {
    expect(graphOf(yaml)).toEqual({
      nodes: [
        { id: "file_input", type: "file_input", title: "file_input" },
        { id: "parse", type: "grok", title: "parse" },
        { id: "show", type: "show", title: "show" }
      ],
      edges: [
        { id: "file_input\nlines\nparse", from: "file_input", to: "parse", label: "lines", tone: undefined },
        { id: "parse\nparsed\nshow", from: "parse", to: "show", label: "parsed", tone: undefined },
        { id: "parse\nerrors\nshow", from: "parse", to: "show", label: "errors", tone: "bad" }
      ]
    })
  })

  it("knows where the nodes stand", () => {
    const { places } = read(yaml)
    expect(places.map(({ from }) => yaml.slice(from).split(/[\n:]/)[0])).toEqual(["type", "type", "{ type"])
    expect(yaml.slice(places[2]!.from, places[2]!.to)).toMatch(/^\{ type: show.*\}$/)
  })

  it("is the same for JSON, with tabs too", () => {
    const value = read(yaml).value
    const text = JSON.stringify(value, null, "\t")
    expect(json.read(text).graph).toEqual(graphOf(yaml))
  })

  it("names the line and the column of a fault, and keeps what it can read", () => {
    const { faults, graph } = read(yaml.replace("{ stream: lines } ]", "{ stream: lines }"))
    expect(faults[0]).toMatchObject({ line: 5, column: expect.any(Number) })
    expect(graph.nodes[0]).toMatchObject({ id: "file_input" })
  })

  it("takes anything", () => {
    for (const text of ["", "x", "[]", "dag:", "dag: 7", "dag: [1, null, {}, { type: 7, subscribe: 3 }]", "dag: *a"]) {
      expect(() => graphOf(text)).not.toThrow()
    }
    expect(
      graphOf("dag: [{ type: __proto__ }, { type: a, subscribe: [{ component: __proto__ }] }]").edges
    ).toHaveLength(1)
    expect(graphOf("dag: [{ type: a }, { type: a }]").nodes.map(({ id }) => id)).toEqual(["a", "a\n1"])
  })
})

const Sizes = Schema.Struct({
  nodes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 })),
  edges: Schema.Array(
    Schema.Struct({
      from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 29 })),
      to: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 29 }))
    })
  )
})

describe("any graph, with circles too", () => {
  it.prop(
    "has every node once in its order and in its picture, where none covers another",
    { sizes: Sizes },
    ({ sizes }) => {
      const graph: Graph = {
        nodes: Array.from({ length: sizes.nodes }, (_, at) => ({ id: `n${at}`, type: "t", title: `n${at}` })),
        edges: sizes.edges.map(({ from, to }) => ({
          from: `n${from % sizes.nodes}`,
          to: `n${to % sizes.nodes}`,
          label: "s"
        }))
      }
      expect(new Set(inOrder(graph).map(({ id }) => id))).toEqual(new Set(graph.nodes.map(({ id }) => id)))
      expect(inOrder(graph)).toHaveLength(sizes.nodes)
      for (const direction of ["right", "down"] as const) {
        const { boxes, routes } = layoutOf(graph, direction)
        expect(routes).toHaveLength(graph.edges.length)
        for (const { path } of routes) expect(path).toMatch(/^M[-\d.]+ [-\d.]+/)
        const all = [...boxes.values()]
        for (const [at, one] of all.entries()) {
          for (const other of all.slice(at + 1)) {
            const apart =
              one.x + one.width <= other.x ||
              other.x + other.width <= one.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y
            expect(apart).toBe(true)
          }
        }
      }
    },
    { arbitrary: { runs: 40 } }
  )

  it("goes by the arrow keys along a chain and back", () => {
    const ids = ["a", "b", "c"]
    const graph: Graph = {
      nodes: ids.map((id) => ({ id, type: "t", title: id })),
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "c" }
      ]
    }
    const { boxes } = layoutOf(graph, "right")
    expect(nearest(boxes, "a", "right")).toBe("b")
    expect(nearest(boxes, "c", "left")).toBe("b")
    expect(nearest(boxes, "c", "right")).toBeUndefined()
    expect(nearest(layoutOf(graph, "down").boxes, "a", "down")).toBe("b")
  })
})

describe("the view of a picture", () => {
  const chain = (length: number): Graph => ({
    nodes: Array.from({ length }, (_, at) => ({ id: `n${at}`, type: "filter", title: `n${at}` })),
    // Every fifth node begins a second way, so that the picture is high as well.
    edges: Array.from({ length: length - 1 }, (_, at) => ({
      from: `n${at - (at % 5 === 0 ? at % 10 : 0)}`,
      to: `n${at + 1}`
    }))
  })
  const place = { width: 580, height: 300 }

  it("has the chosen node in it, also where all of it is too large", () => {
    for (const direction of ["right", "down"] as const) {
      const layout = layoutOf(chain(120), direction)
      for (const node of ["n0", "n60", "n119"]) {
        const { x, y, zoom } = viewOf(layout, place, node)
        const box = layout.boxes.get(node)!
        expect(x + box.x * zoom).toBeGreaterThanOrEqual(0)
        expect(y + box.y * zoom).toBeGreaterThanOrEqual(0)
        expect(x + (box.x + box.width) * zoom).toBeLessThanOrEqual(place.width)
        expect(y + (box.y + box.height) * zoom).toBeLessThanOrEqual(place.height)
        // Nothing beside the picture is shown.
        expect(x).toBeLessThanOrEqual(Math.max(0, (place.width - layout.width * zoom) / 2))
      }
    }
  })

  it("has all of a small one in the middle", () => {
    const layout = layoutOf(chain(2), "right")
    const { x, y, zoom } = viewOf(layout, place, "n0")
    expect(zoom).toBe(1)
    expect(x).toBeCloseTo((place.width - layout.width) / 2)
    expect(y).toBeCloseTo((place.height - layout.height) / 2)
  })
})
