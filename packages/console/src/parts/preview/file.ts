import type { Source } from "../../app/source.ts"

/** A file that can be previewed. */
export interface PreviewedFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly open: (signal: AbortSignal) => ReadableStream<Uint8Array<ArrayBuffer>>
  /** Reads any part of it; absent if reading a part needs everything before it. */
  readonly source?: Source | undefined
  /** Opens it again: its content may have changed. */
  readonly reopen?: (() => void) | undefined
}
