/** An output line: its text, and the complete line as JSON (`{seq, timestamp, component, text}`). */
export interface StoredLine {
  readonly seq: number
  readonly text: string
  readonly json: string
}

/** The limits of one read of lines. It returns at least one line if there is one. */
export interface LinePage {
  readonly rows: number
  /** Number of bytes of text after which no further line is read. */
  readonly bytes: number
}

/** The limits of what a follower gets at once, so that many followers that read slowly take little memory. */
export const followedPage: LinePage = { rows: 1000, bytes: 64 * 1024 }

/** The items that a follower of an output receives: lines, occasional heartbeats, and the end. */
export type FollowEvent<End> =
  | { readonly _tag: "Lines"; readonly lines: ReadonlyArray<StoredLine> }
  | { readonly _tag: "Quiet" }
  | { readonly _tag: "End"; readonly output: End }
