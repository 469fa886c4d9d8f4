/** The meaning of a colour of a node or edge, besides its text. */
export type Tone = "good" | "bad" | "warn" | "busy" | "plain"

export interface DagNode {
  /** Its component, which is unique. */
  readonly id: string
  readonly type: string
  readonly title: string
  readonly tone?: Tone | undefined
  /** Short texts below the type, such as counts of records. At most four are drawn. */
  readonly facts?: ReadonlyArray<string> | undefined
  /** Its faults. */
  readonly problem?: string | undefined
}

export interface DagEdge {
  /** The argument of `onSelect`; an edge without it cannot be selected. */
  readonly id?: string | undefined
  readonly from: string
  readonly to: string
  /** The stream, a rate or a count. */
  readonly label?: string | undefined
  /** The end of the label that is always shown whole, such as a count. */
  readonly count?: string | undefined
  readonly tone?: Tone | undefined
}

export interface Graph {
  readonly nodes: ReadonlyArray<DagNode>
  readonly edges: ReadonlyArray<DagEdge>
}

/** The nodes in the order of the record flow; those of a cycle come last, in their given order. */
export const inOrder = ({ nodes, edges }: Graph): ReadonlyArray<DagNode> => {
  const open = new Map(nodes.map(({ id }) => [id, 0]))
  const next = new Map<string, Array<string>>()
  for (const { from, to } of edges) {
    if (!open.has(from) || !open.has(to)) continue
    open.set(to, open.get(to)! + 1)
    next.set(from, [...(next.get(from) ?? []), to])
  }
  const ready = nodes.filter(({ id }) => open.get(id) === 0).map(({ id }) => id)
  const found = new Set<string>()
  for (const id of ready) {
    found.add(id)
    for (const to of next.get(id) ?? []) {
      const left = open.get(to)! - 1
      open.set(to, left)
      if (left === 0) ready.push(to)
    }
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return [...[...found].map((id) => byId.get(id)!), ...nodes.filter(({ id }) => !found.has(id))]
}

/** The text of a value that should be one; a faulty flowline may contain anything. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

/** The id of an edge: names of streams and components contain no control characters. */
export const edgeId = (from: string, stream: string, to: string): string => [from, stream, to].join("\n")

/** The nodes and edges of a flowline, as far as they are readable: `flowline` of a version, or a parsed text. */
export const graphOfFlowline = (flowline: unknown): Graph => {
  const dag = listOf(membersOf(flowline)["dag"]).map(membersOf)
  const names = new Set<string>()
  const nodes = dag.map((node, at): DagNode => {
    const type = textOf(node["type"]) ?? "?"
    const name = textOf(node["component"]) ?? type
    // A duplicate name is a fault, which the gateway reports; both nodes are drawn.
    const id = names.has(name) ? `${name}\n${at}` : name
    names.add(id)
    return { id, type, title: name }
  })
  const seen = new Set<string>()
  const edges = dag.flatMap((node, at) =>
    listOf(node["subscribe"])
      .map(membersOf)
      .flatMap(({ component, stream }): ReadonlyArray<DagEdge> => {
        const from = textOf(component)
        const { id: to } = nodes[at]!
        const label = textOf(stream)
        if (from === undefined || !names.has(from)) return []
        const id = edgeId(from, label ?? "", to)
        if (seen.has(id)) return []
        seen.add(id)
        return [{ id, from, to, label, tone: label === "errors" ? "bad" : undefined }]
      })
  )
  return { nodes, edges }
}

/** The edges of each node. */
export const wiresOf = ({ edges }: Graph) => ({
  into: Map.groupBy(edges, ({ to }) => to),
  out: Map.groupBy(edges, ({ from }) => from)
})
