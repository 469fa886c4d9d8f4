import { listed, maxSuggestions, suggestion } from "../../../languages/Suggest.ts"
import { chosen, errors, type NodeType } from "../../../nodes/Node.ts"
import { type Edge, findCycles } from "./Cycles.ts"
import type { Finding } from "./Finding.ts"

/** The data of a node for the graph checks. Parts that could not be read are absent. */
interface GraphNode {
  readonly component: string | undefined
  /** False when the component's name is the node's type. */
  readonly named: boolean
  readonly type: NodeType | undefined
  readonly subscribe: ReadonlyArray<{ readonly component?: string; readonly stream?: string }> | undefined
  readonly publish: ReadonlyArray<{ readonly stream?: string }> | undefined
}

/** All faults in the connections of the nodes, at paths inside `dag`. */
export const checkGraph = (nodes: ReadonlyArray<GraphNode>): ReadonlyArray<Finding> => {
  const byName = new Map<string, number>()
  const issues: Array<Finding> = []
  nodes.forEach(({ component, named }, index) => {
    if (component === undefined) return
    if (!byName.has(component)) byName.set(component, index)
    else {
      const detail = named
        ? `The component ${JSON.stringify(component)} exists already: names are unique`
        : `The component ${JSON.stringify(component)} exists already: give this node a component name of its own`
      issues.push({ path: [index, named ? "component" : "type"], detail })
    }
  })
  const edges: Array<Edge> = []
  nodes.forEach((node, index) => {
    issues.push(...checkPublications(node, index), ...checkCounts(node, index))
    issues.push(...checkSubscriptions(nodes, byName, index, edges, issues.length < maxSuggestions))
  })
  const { cycles, inside } = findCycles(nodes.length, edges)
  for (const cycle of cycles) {
    const names = [...cycle, cycle[0]!].map(({ from }) => nodes[from]!.component)
    const last = cycle.at(-1)!
    issues.push({
      path: [last.to, "subscribe", last.index],
      detail: `The nodes form a cycle: ${names.join(" -> ")}`
    })
  }
  return [...issues, ...checkReachable(nodes, edges, inside)]
}

const checkPublications = ({ type, publish = [] }: GraphNode, index: number): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return publish.flatMap(({ stream }, at) => {
    if (stream === undefined) return []
    const path = [index, "publish", at, "stream"]
    if (seen.has(stream)) return [{ path, detail: `The stream ${JSON.stringify(stream)} is published twice` }]
    seen.add(stream)
    if (type === undefined || type.outputs.includes(stream)) return []
    // `errors` means the same at every node, so it is not a free name.
    if (type.outputs.includes(chosen) && stream !== errors) return []
    const own = type.outputs.filter((name) => name !== chosen)
    const detail =
      type.outputs.length === 0
        ? `${type.type} publishes no streams`
        : `${type.type} has no stream ${JSON.stringify(stream)}${own.length === 0 ? "" : `: it has ${listed(own)}`}`
    return [{ path, detail }]
  })
}

const checkCounts = ({ type, subscribe }: GraphNode, index: number): ReadonlyArray<Finding> => {
  if (type === undefined || subscribe === undefined) return []
  const { min, max } = type.inputs
  const path = [index, "subscribe"]
  if (subscribe.length < min) {
    return [{ path, detail: `${type.type} needs ${min === 1 ? "a subscription" : `${min} subscriptions`}` }]
  }
  if (subscribe.length <= max) return []
  const detail = max === 0 ? "takes no subscriptions" : `takes ${max} subscription${max === 1 ? "" : "s"} at most`
  return [{ path, detail: `${type.type} ${detail}` }]
}

const checkSubscriptions = (
  nodes: ReadonlyArray<GraphNode>,
  byName: ReadonlyMap<string, number>,
  index: number,
  edges: Array<Edge>,
  suggest: boolean
): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return (nodes[index]!.subscribe ?? []).flatMap(({ component, stream }, at): ReadonlyArray<Finding> => {
    const path = [index, "subscribe", at]
    if (component === undefined) return []
    const from = byName.get(component)
    if (from === undefined) {
      const near = suggestion(component, suggest ? byName.keys() : [])
      return [{ path: [...path, "component"], detail: `There is no component ${JSON.stringify(component)}${near}` }]
    }
    edges.push({ from, to: index, index: at })
    if (stream === undefined) return []
    const key = JSON.stringify([component, stream])
    if (seen.has(key)) return [{ path, detail: "This subscription exists already" }]
    seen.add(key)
    const { publish } = nodes[from]!
    // A publication that could not be read may be the subscribed one.
    if (publish === undefined || publish.some((publication) => (publication.stream ?? stream) === stream)) return []
    const names = publish.flatMap((publication) => publication.stream ?? [])
    const published = names.length === 0 ? "nothing" : listed(names)
    const detail = `${component} does not publish ${JSON.stringify(stream)} but ${published}${suggestion(stream, names)}`
    return [{ path: [...path, "stream"], detail }]
  })
}

/** Nodes that no input leads to, except those in a cycle or without any subscription, which have an issue already. */
const checkReachable = (
  nodes: ReadonlyArray<GraphNode>,
  edges: ReadonlyArray<Edge>,
  inCycle: ReadonlySet<number>
): ReadonlyArray<Finding> => {
  const receivers = nodes.map((): Array<number> => [])
  const resolved = nodes.map(() => 0)
  for (const { from, to } of edges) {
    receivers[from]!.push(to)
    resolved[to]!++
  }
  // A node of an unknown type may be an input, and an unreadable subscription may lead to one.
  const open = nodes.flatMap(({ type, subscribe }, index) =>
    type === undefined || type.kind === "input" || subscribe === undefined || resolved[index]! < subscribe.length
      ? [index]
      : []
  )
  const reached = new Set(open)
  for (const index of open) {
    for (const next of receivers[index]!) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return nodes.flatMap(({ component, subscribe }, index) =>
    reached.has(index) || inCycle.has(index) || subscribe?.length === 0
      ? []
      : [{ path: [index], detail: `No input leads to ${JSON.stringify(component ?? `node ${index + 1}`)}` }]
  )
}
