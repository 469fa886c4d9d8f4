import { catalogue } from "../../nodes/Catalogue.ts"
import { errors } from "../../nodes/Node.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import type { PythonOrder } from "./PythonProcess.ts"

/**
 * The stream that replaces every stream between two Python nodes in the outer flowline. It carries no rows, because
 * these stay in the Python process; it only keeps the order in which nodes end. No user's stream can have this name.
 */
export const inner = "\u0000inner"

const isPython = ({ type }: DagNode): boolean => !catalogue.has(type)

/**
 * Splits a flowline: the part for the Python process, and the flowline for the pipeline around it. With `tellsAll` the
 * pipeline also gets the rows that only Python nodes take.
 */
export const wire = (
  flowline: Flowline,
  tellsAll = false
): { readonly outer: Flowline; readonly order: Omit<PythonOrder, "files">; readonly fed: ReadonlySet<string> } => {
  const python = new Map(flowline.dag.filter(isPython).map((node) => [componentOf(node), node]))
  const asked = new Set<string>()
  const edges: Array<readonly [string, string, string]> = []
  const fed = new Set<string>()
  const senders = new Map<string, number>()

  const outer = flowline.dag.map((node): DagNode => {
    const component = componentOf(node)
    if (!python.has(component)) {
      for (const { component: from, stream } of node.subscribe) if (stream !== errors) asked.add(from)
      return node
    }
    const own = new Set<string>()
    for (const { component: from, stream } of node.subscribe) {
      if (python.has(from)) edges.push([from, stream, component])
      else fed.add(component)
      own.add(from)
    }
    const inside = node.subscribe.filter(({ component: from }) => python.has(from)).length
    senders.set(component, inside + (fed.has(component) ? 1 : 0))
    const subscribe = [...own].flatMap((from) =>
      python.has(from)
        ? [{ component: from, stream: inner }]
        : node.subscribe.filter((subscription) => subscription.component === from)
    )
    return { ...node, subscribe, publish: [...node.publish, { stream: inner }] }
  })
  const nodes = [...python].map(([component, { type, settings }]) => ({
    component,
    type,
    settings,
    senders: senders.get(component) ?? 0,
    asked: tellsAll || asked.has(component)
  }))
  const [first, ...rest] = outer
  return { outer: { ...flowline, dag: [first!, ...rest] }, order: { nodes, edges }, fed }
}
