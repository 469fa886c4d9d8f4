import { layout as arrange, Graph as Dagre } from "@dagrejs/dagre"
import type { Graph } from "./Graph.ts"

export type Direction = "right" | "down"

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Route {
  /** The path for SVG. */
  readonly path: string
  /** The centre of its label. */
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyMap<string, Box>
  /** In the order of the edges. */
  readonly routes: ReadonlyArray<Route>
}

const width = 208
/** Number of facts of a node that are drawn; the list shows all. */
export const drawnFacts = 4

const heightOf = (facts: number, hasProblem: boolean): number =>
  50 + 17 * Math.min(drawnFacts, facts) + (hasProblem ? 19 : 0)

interface Point {
  readonly x: number
  readonly y: number
}

/** A curve through the midpoints between the points. */
const pathOf = (points: ReadonlyArray<Point>): string => {
  const [first = { x: 0, y: 0 }, ...rest] = points
  const parts = [`M${first.x} ${first.y}`]
  for (const [at, point] of rest.entries()) {
    const after = rest[at + 1]
    if (after === undefined) parts.push(`L${point.x} ${point.y}`)
    else parts.push(`Q${point.x} ${point.y} ${(point.x + after.x) / 2} ${(point.y + after.y) / 2}`)
  }
  return parts.join(" ")
}

/** Arranges the nodes in ranks, so that edges go in one direction and around other nodes. */
export const layoutOf = ({ nodes, edges }: Graph, direction: Direction): Layout => {
  const graph = new Dagre({ multigraph: true })
  graph.setGraph({ rankdir: direction === "right" ? "LR" : "TB", nodesep: 26, ranksep: 34, marginx: 4, marginy: 4 })
  for (const { id, facts = [], problem } of nodes) {
    graph.setNode(id, { width, height: heightOf(facts.length, problem !== undefined) })
  }
  for (const [at, { from, to, label = "" }] of edges.entries()) {
    graph.setEdge(
      from,
      to,
      { width: label === "" ? 0 : 16 + 7.2 * Math.min(label.length, 24), height: 22, labelpos: "c" },
      String(at)
    )
  }
  arrange(graph)
  const boxes = nodes.map(({ id }): readonly [string, Box] => {
    const { x = 0, y = 0, height = 0 } = graph.node(id)
    return [id, { x: x - width / 2, y: y - height / 2, width, height }]
  })
  const routes = edges.map(({ from, to }, at): Route => {
    const { points = [], x = 0, y = 0 } = graph.edge(from, to, String(at))
    return { path: pathOf(points), x, y }
  })
  const { width: whole = width, height = 0 } = graph.graph()
  return { width: whole, height, boxes: new Map(boxes), routes }
}

/** The scale at which a layout fits into a container, at most 1. */
export const scaleIn = ({ width, height }: Layout, place: Pick<Box, "width" | "height">): number =>
  Math.min(1, place.width / Math.max(1, width), place.height / Math.max(1, height))

/** Minimum scale of a layout: below it, nobody could read the text. */
const smallest = 0.3

/**
 * Offset from the upper left corner, and scale, at which a layout is drawn in a container: all of it, centred, or the
 * part around a node if it is too large.
 */
export const viewOf = (
  layout: Layout,
  place: Pick<Box, "width" | "height">,
  node: string | undefined
): { readonly x: number; readonly y: number; readonly zoom: number } => {
  const zoom = Math.max(smallest, scaleIn(layout, place))
  const box = layout.boxes.get(node ?? "") ?? { x: 0, y: 0, width: 0, height: 0 }
  const startOf = (whole: number, room: number, middle: number) =>
    whole <= room ? (room - whole) / 2 : -Math.min(whole - room, Math.max(0, middle - room / 2))
  return {
    x: startOf(layout.width * zoom, place.width, (box.x + box.width / 2) * zoom),
    y: startOf(layout.height * zoom, place.height, (box.y + box.height / 2) * zoom),
    zoom
  }
}

/** Largest number of nodes for which both directions are tried. */
const mostTried = 80

/** The direction that gives the larger picture in a container. */
export const layoutIn = (graph: Graph, place: Pick<Box, "width" | "height">): Layout => {
  if (graph.nodes.length > mostTried) return layoutOf(graph, place.width > place.height ? "right" : "down")
  const across = layoutOf(graph, "right")
  const scale = scaleIn(across, place)
  // Left to right, unless it is clearly smaller: readers think of records as going that way.
  if (scale > 0.85) return across
  const down = layoutOf(graph, "down")
  return scaleIn(down, place) > 1.15 * scale ? down : across
}

export type Way = "left" | "right" | "up" | "down"

/** The nearest node in a direction; undefined at the border. */
export const nearest = (boxes: ReadonlyMap<string, Box>, from: string, way: Way): string | undefined => {
  const here = boxes.get(from)
  if (here === undefined) return undefined
  const isAcross = way === "left" || way === "right"
  const sign = way === "right" || way === "down" ? 1 : -1
  let best: { readonly id: string; readonly distance: number } | undefined
  for (const [id, box] of boxes) {
    const dx = box.x + box.width / 2 - here.x - here.width / 2
    const dy = box.y + box.height / 2 - here.y - here.height / 2
    const ahead = sign * (isAcross ? dx : dy)
    if (ahead < 4) continue
    const distance = ahead + 2 * Math.abs(isAcross ? dy : dx)
    if (best === undefined || distance < best.distance) best = { id, distance }
  }
  return best?.id
}
