import type { Reference } from "../../protocol/References.ts"
import type { Growth, TailOptions } from "./Position.ts"

/** A file being written. It exists under its name only after `close`. */
export interface Sink {
  readonly write: (chunk: Uint8Array | string) => void | Promise<void>
  readonly close: () => Promise<void>
  /** Makes the bytes written so far durable, where they are visible before `close`. */
  readonly flush?: () => Promise<void>
  /** `write` copies the bytes before it returns, so the caller may reuse their memory at once. */
  readonly copies?: true
  /** Writes bytes without copying them. Their memory belongs to the sink until it calls `free`, also after a failure. */
  readonly lend?: (bytes: Uint8Array, free: () => void) => void | Promise<void>
}

/** A file that is open for reading; not decompressed. */
export interface OpenFile {
  /** The file descriptor, which every thread of the run can read while the file is open. */
  readonly id: number
  /** The real path of the file; undefined when it has lost its name. */
  readonly path?: () => Promise<string | undefined>
  /** Current size in bytes. */
  readonly size: () => Promise<number>
  /**
   * Reads into `into` from the byte `at` on. Returns the number of bytes, which is smaller only at the end of the file.
   */
  readonly read: (into: Uint8Array, at: number) => Promise<number>
  readonly close: () => Promise<void>
}

/** A stored file. */
export interface StoredFile {
  /** File name without folders. */
  readonly name: string
  /** The bytes, decompressed if the name ends in `.gz` or `.zst`. May be called again. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/** How an S3 storage is reached; the credentials are values of secrets. */
export interface S3Access {
  /** Base URL of the server; by default Amazon's for the region. */
  readonly endpoint?: string
  readonly region?: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string
  /** Whether the bucket is in the path of the URL instead of its host name. */
  readonly path_style?: boolean
}

/** What the paths of a node are relative to. */
export interface Storage {
  /** A root of the operator, `conf` or `data`. */
  readonly root?: string | undefined
  /** Paths are URLs of objects, `s3://bucket/key`. */
  readonly s3?: S3Access | undefined
}

/** The files of one storage, by their paths. */
export interface InputFiles {
  /**
   * Paths of the files that match the glob, sorted. Fails when a path without wildcards does not exist.
   */
  readonly glob: (pattern: string) => Promise<ReadonlyArray<string>>
  /** The bytes of a file, decompressed if its name ends in `.gz` or `.zst`. */
  readonly read: (path: string) => AsyncIterable<Uint8Array>
  /** Opens a file for reading in any order; absent where only `read` is possible. */
  readonly openFile?: (path: string) => Promise<OpenFile>
  /** Names what the files are that match the glob: another text after one of them has changed. Absent: not known. */
  readonly versionOf?: (pattern: string) => Promise<string>
  /** The records of a Parquet file or a reference. */
  readonly parquet: (source: string | Reference) => AsyncIterable<ReadonlyArray<Record<string, unknown>>>
  /** Follows the files that match the glob, including later ones, from a saved position until the run ends. */
  readonly tail: (pattern: string, position: unknown, how: TailOptions) => AsyncIterable<Growth>
}

/** Takes the memory of a call's text on loan. What it returns gives the memory back, and has to be called once. */
export type Lend = () => () => void
