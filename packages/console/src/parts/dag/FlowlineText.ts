import Hjson from "hjson"
import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument } from "yaml"
import { type Graph, graphOfFlowline } from "./Graph.ts"
import { beginsWithBrace, hasSignsOfHjson } from "./notation.ts"

/** A fault of a text. Line and column count from 1, in UTF-16 units, as those of the gateway. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface TextFault extends Place {
  readonly detail: string
}

/** The places of a node in the text: offsets of its beginning and end. */
export interface NodePlace {
  readonly from: number
  readonly to: number
}

/** What can be read of the text of a flowline. */
export interface FlowlineText {
  /** `hjson`: it is read without its places, so that nothing here can edit it. */
  readonly format: "yaml" | "json" | "hjson"
  readonly graph: Graph
  /** In the order of the graph's nodes. */
  readonly places: ReadonlyArray<NodePlace>
  readonly faults: ReadonlyArray<TextFault>
  /** The value of the text, as far as it can be read. */
  readonly value: unknown
  readonly document: Document.Parsed | undefined
}

const mostFaults = 100

/** Values as far as they can be made: aliases without an anchor, and too many of them, fail. */
const valueOf = (document: Document.Parsed): unknown => {
  try {
    return document.toJS({ maxAliasCount: 1000 })
  } catch {
    return undefined
  }
}

/** The value of an HJSON text; undefined where it has a fault, which the gateway tells with its place. */
const hjsonValueOf = (text: string): unknown => {
  try {
    return Hjson.parse(text)
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

/**
 * Reads the text of a flowline: YAML, or JSON, which is YAML. Of HJSON what it says, without places. A faulty text has
 * what can be read of it.
 */
export const readFlowlineText = (text: string): FlowlineText => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" })
  const isBraced = beginsWithBrace(text)
  const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")]
  if (errors.length > 0 && (isBraced || hasSignsOfHjson(text))) {
    const value = hjsonValueOf(text)
    return { format: "hjson", graph: graphOfFlowline(value), places: [], faults: [], value, document: undefined }
  }
  const value = valueOf(document)
  const faults = errors.slice(0, mostFaults).map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0])
    return { line: Math.max(1, line), column: Math.max(1, col), detail: message }
  })
  return {
    format: isBraced ? "json" : "yaml",
    graph: graphOfFlowline(value),
    places: placesOf(document),
    faults,
    value,
    document
  }
}

/** The nodes and edges of the text of a flowline, and its faults. */
export const graphOf = (text: string): Graph & { readonly faults: ReadonlyArray<TextFault> } => {
  const { graph, faults } = readFlowlineText(text)
  return { ...graph, faults }
}
