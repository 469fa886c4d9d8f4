import "@xyflow/react/dist/base.css"
import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow
} from "@xyflow/react"
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { dag as t } from "../../texts/en.ts"
import { Button } from "../Button.tsx"
import css from "./dag.module.css"
import type { DagEdge, DagNode, Graph } from "./Graph.ts"
import { type Box, drawnFacts, type Layout, layoutIn, nearest, type Route, viewOf, type Way } from "./layout.ts"

/** The selection: the id of a node or an edge. */
export type OnSelect = (id: string) => void

export interface PictureProps {
  readonly graph: Graph
  readonly label: string
  readonly selected: string | undefined
  readonly onSelect: OnSelect | undefined
}

type BoxNode = Node<{ readonly node: DagNode; readonly isEntry: boolean; readonly select: OnSelect }, "box">
type RouteEdge = Edge<{ readonly edge: DagEdge; readonly route: Route; readonly select: OnSelect | undefined }, "route">

const BoxContent = ({ data: { node, isEntry, select }, selected }: NodeProps<BoxNode>) => (
  <>
    <Handle type="target" position={Position.Left} isConnectable={false} className={css.handle!} />
    <Handle type="source" position={Position.Right} isConnectable={false} className={css.handle!} />
    <button
      type="button"
      data-node={node.id}
      className={`${css.box} ${css[node.tone ?? "plain"]} nopan nodrag`}
      aria-pressed={selected}
      tabIndex={isEntry ? 0 : -1}
      title={node.problem ?? node.title}
      onClick={() => select(node.id)}
    >
      <span className={css.title}>{node.title}</span>
      <span className={css.type}>{node.type}</span>
      {node.facts?.slice(0, drawnFacts).map((fact, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts have no names of their own.
        <span key={at} className={css.fact}>
          {fact}
        </span>
      ))}
      {node.problem === undefined ? null : <span className={css.fault}>{node.problem}</span>}
    </button>
  </>
)

const RouteContent = ({ id, data, selected, markerEnd }: EdgeProps<RouteEdge>) => {
  if (data === undefined) return null
  const { edge, route, select } = data
  const { label, count = "", tone = "plain" } = edge
  const text = (
    <>
      <span>{label?.slice(0, label.length - count.length)}</span>
      <span>{count}</span>
    </>
  )
  const style = { transform: `translate(-50%, -50%) translate(${route.x}px, ${route.y}px)` }
  const classes = `${css.label} ${css[tone]} ${selected ? css.chosen : ""} nopan nodrag`
  return (
    <>
      <BaseEdge
        id={id}
        path={route.path}
        className={`${css.route} ${css[tone]} ${selected ? css.chosen : ""}`}
        markerEnd={markerEnd ?? ""}
      />
      {label === undefined ? null : (
        <EdgeLabelRenderer>
          {select === undefined || edge.id === undefined ? (
            <span className={classes} style={style} title={label}>
              {text}
            </span>
          ) : (
            <button
              type="button"
              className={classes}
              style={style}
              title={label}
              aria-pressed={selected === true}
              aria-label={t.edge(edge.from, edge.to, label)}
              onClick={() => select(edge.id ?? "")}
            >
              {text}
            </button>
          )}
        </EdgeLabelRenderer>
      )}
    </>
  )
}

const nodeTypes = { box: BoxContent }
const edgeTypes = { route: RouteContent }

const ways: Readonly<Record<string, Way>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down"
}

/** The size of an element. */
const useSize = (element: HTMLElement | null) => {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      setSize({ width, height })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return size
}

/** The part of the graph that determines its layout. */
const shapeOf = ({ nodes, edges }: Graph): string =>
  JSON.stringify([
    nodes.map(({ id, facts = [], problem }) => [id, Math.min(drawnFacts, facts.length), problem !== undefined]),
    edges.map(({ from, to, label = "" }) => [from, to, label.length])
  ])

/** The node that the keyboard comes to first. */
const entryOf = ({ nodes }: Graph, selected: string | undefined): string | undefined =>
  nodes.some(({ id }) => id === selected) ? selected : nodes[0]?.id

const toNodes = (graph: Graph, { boxes }: Layout, selected: string | undefined, select: OnSelect): Array<BoxNode> => {
  const entry = entryOf(graph, selected)
  return graph.nodes.map((node): BoxNode => {
    const { x, y, width, height } = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 }
    return {
      id: node.id,
      type: "box",
      position: { x, y },
      width,
      height,
      // Without these, React Flow omits an edge until the browser has measured its nodes, which it does not do twice.
      measured: { width, height },
      handles: [
        { type: "target", position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
        { type: "source", position: Position.Bottom, x: width / 2, y: height, width: 1, height: 1 }
      ],
      selected: node.id === selected,
      data: { node, isEntry: node.id === entry, select }
    }
  })
}

const toEdges = (
  graph: Graph,
  { routes }: Layout,
  selected: string | undefined,
  select: OnSelect | undefined
): Array<RouteEdge> =>
  graph.edges.map((edge, at) => ({
    id: `${at}`,
    type: "route",
    source: edge.from,
    target: edge.to,
    selected: edge.id !== undefined && edge.id === selected,
    ariaLabel: t.edge(edge.from, edge.to, edge.label ?? ""),
    markerEnd: { type: "arrowclosed", width: 16, height: 16, color: "var(--edge)" },
    data: { edge, route: routes[at] ?? { path: "", x: 0, y: 0 }, select }
  }))

/** Pixels around the picture; below it, the space of the buttons. */
const around = { side: 16, below: 44 }

const Drawn = ({ graph, label, selected, onSelect }: PictureProps) => {
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const { width, height } = useSize(frame)
  const { setViewport, setCenter, getViewport, zoomIn, zoomOut } = useReactFlow()
  const isMoved = useRef(false)
  const shape = shapeOf(graph)
  // Small changes of the container's size do not change the direction.
  const [wide, high] = [Math.round(width / 40), Math.round(height / 40)]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all that the layout takes of the graph.
  const layout = useMemo(
    () => layoutIn(graph, { width: wide * 40 - 2 * around.side, height: high * 40 - around.side - around.below }),
    [shape, wide, high]
  )
  const chosen = useRef(onSelect)
  chosen.current = onSelect
  const canSelect = onSelect !== undefined
  const nodes = useMemo(() => toNodes(graph, layout, selected, (id) => chosen.current?.(id)), [graph, layout, selected])
  const edges = useMemo(
    () => toEdges(graph, layout, selected, canSelect ? (id) => chosen.current?.(id) : undefined),
    [graph, layout, selected, canSelect]
  )
  // The picture stays as it is when another node is chosen.
  const entry = useRef<string>(undefined)
  entry.current = entryOf(graph, selected)
  const fit = useCallback(() => {
    isMoved.current = false
    const place = { width: width - 2 * around.side, height: height - around.side - around.below }
    const { x, y, zoom } = viewOf(layout, place, entry.current)
    void setViewport({ x: around.side + x, y: around.side + y, zoom })
  }, [layout, width, height, setViewport])
  useEffect(() => {
    if (!isMoved.current && width > 0) fit()
  }, [fit, width])

  /** Moves the picture so that a node is visible. */
  const seen = ({ x, y, width: wideness, height: highness }: Box) => {
    const { x: left, y: top, zoom } = getViewport()
    const isSeen =
      x * zoom + left >= 0 &&
      y * zoom + top >= 0 &&
      (x + wideness) * zoom + left <= width &&
      (y + highness) * zoom + top <= height
    if (!isSeen) void setCenter(x + wideness / 2, y + highness / 2, { zoom })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const way = ways[event.key]
    const from = event.target instanceof HTMLElement ? event.target.dataset["node"] : undefined
    if (way === undefined || from === undefined) return
    event.preventDefault()
    const next = nearest(layout.boxes, from, way)
    const found =
      next === undefined ? undefined : frame?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)
    found?.focus({ preventScroll: true })
    const box = next === undefined ? undefined : layout.boxes.get(next)
    if (box !== undefined) seen(box)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go from node to node, each of which is a button.
    <div ref={setFrame} className={css.picture} onKeyDown={onKeyDown}>
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode={null}
        onMoveStart={(event) => {
          if (event !== null) isMoved.current = true
        }}
      >
        <Panel position="bottom-left" className={css.zoom!}>
          <Button aria-label={t.zoomIn} onPress={() => void zoomIn()}>
            +
          </Button>
          <Button aria-label={t.zoomOut} onPress={() => void zoomOut()}>
            −
          </Button>
          <Button onPress={fit}>{t.fit}</Button>
        </Panel>
      </ReactFlow>
    </div>
  )
}

/** The graph as a picture, drawn with React Flow. */
const Picture = (props: PictureProps) => (
  <ReactFlowProvider>
    <Drawn {...props} />
  </ReactFlowProvider>
)

export default Picture
