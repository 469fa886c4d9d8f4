import type { Encoding } from "../../languages/Encoding.ts"

/** Where a line begins in its source. */
export interface LinePlace {
  /** The number of the line, from 1; undefined where the lines before it were not counted. */
  readonly line: number | undefined
  /** The offset of its first byte. */
  readonly offset: number
}

/** How much of a content was emitted. */
export interface RecordCounts {
  records: number
  failures: number
}

/** How files are followed. */
export interface TailOptions {
  readonly encoding: Encoding
  /** Seconds after which bytes are due that were passed on, but that a later attempt would read again. */
  readonly dueAfter?: number | undefined
  /** Called once with the reason why a file is not read. */
  readonly tell?: ((text: string) => void) | undefined
}

/** Bytes added to a followed file. */
export interface Growth {
  /** Identifies the file while it is followed, even after a rename. */
  readonly file: number
  readonly path: string
  /** Names the content of the file in every attempt: another one after it was replaced or truncated. */
  readonly content: string
  /** Numbers of records and of failures of that content before these bytes. The receiver counts on. */
  readonly counts: RecordCounts
  /** Whole lines, unless a line is longer than some MiB. */
  readonly bytes: Uint8Array
  /** Where the bytes begin. */
  readonly from: LinePlace
  /** The encoding with the byte order that the file's first bytes tell. */
  readonly encoding: Encoding
  /** Nothing was added for a while, so what waits for further lines is due. `bytes` are empty. */
  readonly isDue: boolean
  /** The receiver tells from where a later attempt has to read again. By default it is the end of the bytes. */
  readonly reach: (place: LinePlace) => void
  /**
   * The file was removed, replaced or truncated: no more bytes follow, and `bytes` includes its incomplete last line.
   */
  readonly ended: boolean
  /** Bytes of the existing files that have not been read yet. */
  readonly behind: number
  /** The position after these bytes, for {@link Position.save}. */
  readonly position: () => unknown
}

/**
 * The position of an input in its source, kept across restarts. Values are JSON. An input that keeps one loads it before
 * it emits anything.
 */
export interface Position {
  /** The last saved value, or undefined. */
  readonly load: () => unknown
  /**
   * Saves the value later, when every node has made the records emitted until then durable, before any others. A later
   * value replaces an earlier one.
   */
  readonly save: (value: () => unknown) => void
}
