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

/** What can be read of the text of a flowline. A faulty text has what can be read of it. */
export interface FlowlineText {
  readonly format: Format
  readonly graph: Graph
  /** In the order of the graph's nodes. */
  readonly places: ReadonlyArray<NodePlace>
  readonly faults: ReadonlyArray<TextFault>
  /** The value of the text, as far as it can be read. */
  readonly value: unknown
  /** The path of the innermost part that stands at an offset; undefined if the text was not read. */
  readonly pathAt: ((offset: number) => Path) | undefined
}

/** The text after an edit, or undefined where it has to be edited by hand: where an alias stands, or a fault. */
export type Edited = string | undefined

/** Where something can be completed. */
export interface Spot {
  /** Of what stands at the cursor; of a key, the path of the object that has it. */
  readonly path: Path
  readonly isKey: boolean
  /** The value of the whole text, in which the cursor is a member or a text of its own. */
  readonly value: unknown
}

/** What may be completed at an offset, and how it is written there. */
export interface Spots {
  /** Where the word begins that stands before the offset. */
  readonly from: number
  /** The likeliest first: at the beginning of a line, a key before a text. */
  readonly spots: ReadonlyArray<Spot>
  readonly key: (name: string) => string
  readonly value: (value: unknown) => string
}

/** What reads and edits texts of flowlines that are written in one way. */
export interface Notation {
  readonly format: Format
  readonly read: (text: string) => FlowlineText
  /**
   * Puts a value in the place of what stands at a path, or takes it away (undefined). The rest of the text stays as it is:
   * its comments, its order and its notation.
   */
  readonly edited: (text: string, path: Path, value: unknown) => Edited
  /** Gives what stands at a path another key. */
  readonly keyed: (text: string, path: Path, key: string) => Edited
  /** Adds an item at the end of the list `dag`. */
  readonly withNode: (text: string, node: Readonly<Record<string, unknown>>) => Edited
  readonly spotsAt: (text: string, offset: number) => Spots
}
