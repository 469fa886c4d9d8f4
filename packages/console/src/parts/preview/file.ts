import type { Source } from "../../app/source.ts"

/** A file that can be looked into. */
export interface PreviewedFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly open: (signal: AbortSignal) => ReadableStream<Uint8Array<ArrayBuffer>>
  /** Reads any part of it; absent where all before a part has to be read first. */
  readonly source?: Source | undefined
  /** Opens it anew, as it may be another one by now. */
  readonly reopen?: (() => void) | undefined
}
