/** An output line: its text, and the whole as JSON (`{seq, timestamp, component, text}`). */
export interface StoredLine {
  readonly seq: number
  readonly text: string
  readonly json: string
}

/** What a follower gets: lines, a sign of life now and then, and what it ends with, when it ends. */
export type Followed<End> =
  | { readonly _tag: "Lines"; readonly lines: ReadonlyArray<StoredLine> }
  | { readonly _tag: "Quiet" }
  | { readonly _tag: "End"; readonly output: End }
