import type { Graph } from "../../parts/dag/Graph.ts"
import type { Path } from "./schema.ts"

export type Format = "yaml" | "json" | "hjson"

/** A fault of a text. Line and column count from 1, in UTF-16 units, as those of the gateway. */
export interface TextFault {
  readonly line: number
  readonly column: number
  readonly detail: string
}

/** The places of a node in the text: offsets of its beginning and end. */
export interface NodePlace {
  readonly from: number
  readonly to: number
}

/** What could be parsed of a flowline's text, even if it has faults. */
export interface FlowlineText {
  readonly format: Format
  readonly graph: Graph
  /** In the order of the graph's nodes. */
  readonly places: ReadonlyArray<NodePlace>
  readonly faults: ReadonlyArray<TextFault>
  /** The value of the text, as far as it could be parsed. */
  readonly value: unknown
  /** The path of the innermost part at an offset; undefined if the text could not be parsed. */
  readonly pathAt: ((offset: number) => Path) | undefined
}

/** The text after an edit; undefined if it has to be edited by hand, because of an alias or a fault at that place. */
export type Edited = string | undefined

/** The context of a completion. */
export interface Spot {
  /** The path of the value at the cursor; for a key, the path of the object that contains it. */
  readonly path: Path
  readonly isKey: boolean
  /** The value of the whole text, with the unfinished part at the cursor as a member or text. */
  readonly value: unknown
}

/** Where a completion at an offset applies, and how it is written there. */
export interface Spots {
  /** The offset at which the word before the cursor begins. */
  readonly from: number
  /** The likeliest first: at the beginning of a line, a key before a text. */
  readonly spots: ReadonlyArray<Spot>
  readonly key: (name: string) => string
  readonly value: (value: unknown) => string
}

/** Parses and edits texts of flowlines in one notation. */
export interface Notation {
  readonly format: Format
  readonly read: (text: string) => FlowlineText
  /**
   * Replaces the value at a path, or removes it (undefined). The rest of the text keeps its comments, order and
   * notation.
   */
  readonly edited: (text: string, path: Path, value: unknown) => Edited
  /** Renames the key at a path. */
  readonly keyed: (text: string, path: Path, key: string) => Edited
  /** Adds an item at the end of the list `dag`. */
  readonly withNode: (text: string, node: Readonly<Record<string, unknown>>) => Edited
  readonly spotsAt: (text: string, offset: number) => Spots
}
