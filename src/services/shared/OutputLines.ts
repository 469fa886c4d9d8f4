/** An output line: its text, and the complete line as JSON (`{seq, timestamp, component, text}`). */
export interface StoredLine {
  readonly seq: number
  readonly text: string
  readonly json: string
}

/** The items that a follower of an output receives: lines, occasional heartbeats, and the end. */
export type Followed<End> =
  | { readonly _tag: "Lines"; readonly lines: ReadonlyArray<StoredLine> }
  | { readonly _tag: "Quiet" }
  | { readonly _tag: "End"; readonly output: End }
