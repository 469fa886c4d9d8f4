import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument } from "yaml"
import { graphOfFlowline } from "../../parts/dag/Graph.ts"
import type { FlowlineText, NodePlace, Notation } from "./Notation.ts"
import { edited, keyed, withNode } from "./yamlEdits.ts"
import { pathAt, spotsAt } from "./yamlPlace.ts"

const mostFaults = 100

/** Values as far as they can be made: aliases without an anchor, and too many of them, fail. */
const valueOf = (document: Document.Parsed): unknown => {
  try {
    return document.toJS({ maxAliasCount: 1000 })
  } catch {
    return undefined
  }
}

const placesOf = ({ contents }: Document.Parsed): ReadonlyArray<NodePlace> => {
  const dag = isMap(contents) ? contents.get("dag", true) : undefined
  if (!isSeq(dag)) return []
  return dag.items.map((item) => {
    const [from = 0, to = from] = (isNode(item) && item.range) || []
    return { from, to }
  })
}

const read = (text: string): FlowlineText => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" })
  const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")]
  const value = valueOf(document)
  const faults = errors.slice(0, mostFaults).map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0])
    return { line: Math.max(1, line), column: Math.max(1, col), detail: message }
  })
  return {
    format: "yaml",
    graph: graphOfFlowline(value),
    places: placesOf(document),
    faults,
    value,
    pathAt: (offset) => pathAt(document, offset)
  }
}

export const yaml: Notation = { format: "yaml", read, edited, keyed, withNode, spotsAt }
