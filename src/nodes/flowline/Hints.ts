import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import { asked, catalogue } from "../Catalogue.ts"

/** The nodes whose records may come to this one. */
const above = ({ dag }: Flowline, node: DagNode): ReadonlyArray<DagNode> => {
  const byName = new Map(dag.map((one) => [componentOf(one), one]))
  const found = new Set<DagNode>()
  const waiting = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { component } of next.subscribe) {
      const sender = byName.get(component)
      if (sender === undefined || found.has(sender)) continue
      found.add(sender)
      waiting.push(sender)
    }
  }
  return [...found]
}

/** What a valid flowline cannot keep of what its settings promise. */
export const hints = (flowline: Flowline): ReadonlyArray<string> =>
  flowline.dag.flatMap((node) => {
    const live = above(flowline, node).filter((sender) => catalogue.get(sender.type)?.isLive === true)
    const told = asked(node, (type) => type.hints, live.map(componentOf)) ?? []
    return told.map((hint) => `${componentOf(node)}: ${hint}`)
  })
