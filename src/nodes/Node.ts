import type { Result, Schema } from "effect"
import type { ScriptFault } from "../languages/flowlet/Outcome.ts"
import type { Purpose } from "../languages/flowlet/Program.ts"
import type { Guard } from "../languages/Guard.ts"
import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { EncodedOptions } from "../languages/query/IndexedDocument.ts"
import type { Runtime } from "../protocol/Flowline.ts"
import type { Reference } from "../protocol/References.ts"
import type { AnalyticsWork, Block, BlockFormat, Need, Target } from "./Capabilities.ts"
import type { Documents } from "./Documents.ts"
import type { Network } from "./Network.ts"

/**
 * A record that travels through a flowline: a JSON object. Field values are JSON; numbers beyond a double are strings.
 */
export type Event = Record<string, unknown>

/** What passes between nodes: about 256 KiB of records, never a single one. */
export type Batch = ReadonlyArray<Event>

/**
 * The stream a node emits to when the flowline chooses the name: all published ones that the node does not name itself.
 */
export const chosen = "*"

/** The stream of records that a node could not process. When the flowline does not publish it they are only counted. */
export const errors = "errors"

/**
 * Sends a batch to the subscribers of one of the node's streams ({@link chosen}, {@link errors} or a name of its
 * own). Await it: it is what slows a fast input down. The batch and its events belong to the receivers from then on.
 */
export type Emit = (stream: string, batch: Batch) => void | Promise<void>

/** A file being written. It exists under its name only after `close`. */
export interface Sink {
  readonly write: (chunk: Uint8Array | string) => void | Promise<void>
  readonly close: () => Promise<void>
  /** Makes durable what was written so far, where the bytes can be seen before `close`. */
  readonly flush?: () => Promise<void>
  /** `write` takes the bytes before it returns: their memory may be used again, also while it has not settled. */
  readonly copies?: true
}

/** A file that is open for reading, as it lies on the disk. */
export interface OpenFile {
  /** The number by which every thread of the run can read it while it is open. */
  readonly id: number
  /** Its bytes at the moment. */
  readonly size: () => Promise<number>
  /** Fills `into` with what stands from the byte `at` on. Gives the bytes read: fewer only at the end of the file. */
  readonly read: (into: Uint8Array, at: number) => Promise<number>
  readonly close: () => Promise<void>
}

/** A stored file. */
export interface StoredFile {
  /** Its file name, without folders. */
  readonly name: string
  /** The bytes, decompressed when the name ends in `.gz`. May be called again. */
  readonly read: () => AsyncIterable<Uint8Array>
}

/** Bytes that a followed file has grown by. */
export interface Growth {
  /** Names the file as long as it is followed, also when it is renamed. */
  readonly file: number
  readonly path: string
  /** Whole lines, unless a line is longer than some MiB. */
  readonly bytes: Uint8Array
  /** Nothing comes any more: the file was removed, replaced or emptied, and what is left of its last line is here. */
  readonly ended: boolean
  /** Bytes of the files that are there and come after this. */
  readonly behind: number
  /** Where the files stand when this and everything before it has been taken: for {@link Position.save}. */
  readonly position: () => unknown
}

/** Where an input stands in what it reads; kept across restarts. Values are JSON. */
export interface Position {
  /** What was saved last, or undefined. */
  readonly load: () => unknown
  /**
   * Keeps the value, some time later: when every node has made durable what it took until now. Of several only the
   * last counts.
   */
  readonly save: (value: () => unknown) => void | Promise<void>
}

/** What a running node can reach: nothing but this. All paths are relative and stay inside the tenant. */
export interface RunContext {
  /**
   * Files of the tenant's configuration folder that the glob names, sorted by path. Fails when a plain path is missing.
   */
  readonly glob: (pattern: string) => Promise<ReadonlyArray<string>>
  /** The bytes of a configuration file, decompressed when its name ends in `.gz`. */
  readonly read: (path: string) => AsyncIterable<Uint8Array>
  /** Opens a configuration file, whose bytes can then be read in any order; absent where `read` is all there is. */
  readonly openFile?: (path: string) => Promise<OpenFile>
  /**
   * What the flowline refers to. Only references that the node's type or the flowline's settings declared are there.
   */
  readonly open: (reference: Reference) => Promise<StoredFile>
  /** The records of a Parquet file: a path of the configuration folder, or a reference. */
  readonly parquet: (source: string | Reference) => AsyncIterable<Batch>
  /** Follows the files that the glob names, also those that appear later, from a saved position until the run ends. */
  readonly tail: (pattern: string, position: unknown) => AsyncIterable<Growth>
  readonly position: Position
  readonly network: Network
  /** The tenant's indices; absent where there is no search. */
  readonly documents?: Documents
  /** A SHA-256 of bytes that come piece by piece. */
  readonly sha256?: () => { readonly update: (bytes: Uint8Array) => void; readonly hex: () => string }
  /** Names the records of this run: the same in a later attempt that begins anew, another in one that goes on. */
  readonly runId?: string
  /** The grok patterns that the tenant brings along; only where a node of the flowline may use them. */
  readonly patterns?: TenantDefinitions | undefined
  /** A file in the tenant's `data/` area. With `append` it grows in place: what is written can be seen at once. */
  readonly file: (path: string, append?: boolean) => Promise<Sink>
  /** An entry of the execution's archive. Entries are written one after the other; a second one waits for the first. */
  readonly archiveEntry: (name: string) => Promise<Sink>
  /** Prints lines to the execution's output. */
  readonly print: (lines: ReadonlyArray<string>) => void | Promise<void>
  /** Against what may not come to an end by itself; absent where there is nothing to hold up. */
  readonly guard?: Guard | undefined
  /** Counts failed records of this node that no stream takes, with one reason kept as a sample. */
  readonly reject: (count: number, reason: string) => void
  /** Aborted when the run is cancelled or another node failed. */
  readonly signal: AbortSignal
}

/** What the pipeline gives to a node. */
export interface NodeContext extends RunContext {
  /** The node's own name in the flowline. */
  readonly component: string
  /** Tells how many records this node will have given in the end; absent where nobody asks. */
  readonly expect?: (total: number) => void
  /** Tells how many bytes of its input lie before this node, unread. */
  readonly behind?: (bytes: number) => void
  /** For records that come from elsewhere than a call of the instance; the same as what those calls get. */
  readonly emit: Emit
}

/**
 * A node of a running flowline. It never changes an event that it received: others may have received the same one.
 * `process` is never called again before its last call has settled. An input has `run`; the others get every batch
 * through `process`, then one `end`.
 */
export interface Instance {
  readonly run?: (emit: Emit) => Promise<void>
  readonly process?: (batch: Batch, emit: Emit) => void | Promise<void>
  readonly end?: (emit: Emit) => void | Promise<void>
  /** Makes durable, or sends on, what was taken so far. Called between batches when an input keeps its position. */
  readonly flush?: (emit: Emit) => void | Promise<void>
  /**
   * In place of `process`, for a batch of which {@link NodeType.text} was made elsewhere: its UTF-8,
   * which may lie in shared memory and is the caller's again when the call has settled.
   */
  readonly write?: (text: Uint8Array, records: number) => void | Promise<void>
}

/** A fault in a node's settings that its schema cannot see, such as a pattern that does not compile. */
export interface SettingsIssue {
  /** Path inside `settings`, for example `["patterns", 0]`. */
  readonly path: ReadonlyArray<string | number>
  readonly detail: string
  /** Position inside the text at `path`, from 1. */
  readonly line?: number
  readonly column?: number
}

/** Where settings are checked. Those of a flowline that is faulty elsewhere may have no runtime. */
export interface Surroundings {
  readonly runtime?: Runtime | undefined
  /** Whose flowline it is. */
  readonly tenant?: string | undefined
  /** The grok patterns that the tenant brings along. */
  readonly patterns?: TenantDefinitions | undefined
}

/**
 * What a check can use. The compiler of programs and the parser of queries are handed in, so that a run, whose memory
 * counts, does not load them with its nodes.
 */
export interface CheckContext extends Surroundings {
  /** What is wrong with the syntax of a program. */
  readonly programFault: (text: string, purpose: Purpose) => ScriptFault | undefined
  /** What is wrong with an Elasticsearch query, by paths inside it. */
  readonly queryFaults: (query: unknown) => ReadonlyArray<SettingsIssue>
}

/** Takes what an input reads, in pieces: blocks of lines, or records of formats that have none. */
export interface Taker {
  readonly block: (block: Block, format: BlockFormat) => void | Promise<void>
  /** Takes a whole file in place of its blocks, and closes it. */
  readonly file?: (file: OpenFile, format: BlockFormat) => Promise<void>
  readonly emit: Emit
}

/** How rows of texts become bytes, each row by itself. */
export type RowEncoding = Pick<EncodedOptions, "fields" | "encoder">

/** Takes encoded rows, and how many they are. */
export type WriteRows = (bytes: Uint8Array, rows: number) => Promise<void>

/**
 * What SQL can know of a node's records before a run: the query that makes them, the names of their columns, or the
 * files that they are read from, as a glob in the tenant's configuration.
 */
export type Relation =
  | { readonly statement: string }
  | { readonly columns: ReadonlyArray<string> }
  | { readonly path: string; readonly format?: string }

/**
 * One entry of the catalogue. Validation, the scan, the documentation and the run are all made from it. `settings`
 * is a struct schema whose fields carry descriptions; its keys are snake_case.
 */
export interface NodeType<S extends Schema.Codec<unknown, unknown> = Schema.Codec<unknown, unknown>> {
  readonly type: string
  readonly kind: "input" | "processing" | "output"
  readonly description: string
  readonly runtimes: ReadonlyArray<Runtime>
  readonly settings: S
  /** How many subscriptions the node takes. */
  readonly inputs: { readonly min: number; readonly max: number }
  /** Names of the streams that it can publish, such as `errors`; `*` stands for the names that the flowline chooses. */
  readonly outputs: ReadonlyArray<string>
  readonly example: Record<string, unknown>
  /** What a run with this node needs; a run without such nodes does not get it. */
  readonly needs?: ReadonlyArray<Need>
  // Methods, because the catalogue holds nodes of all settings and gives each one only what its own schema decoded.
  /** Faults that the schema cannot see. */
  check?(settings: S["Type"], context: CheckContext): ReadonlyArray<SettingsIssue>
  /** The streams that the settings name, which the flowline has to publish, each with its path in the settings. */
  streams?(
    settings: S["Type"]
  ): ReadonlyArray<{ readonly stream: string; readonly path: ReadonlyArray<string | number> }>
  /**
   * Whether the node makes the same of a record whatever others there are, so that several instances can share the
   * records. Absent: it does not.
   */
  isStateless?(settings: S["Type"]): boolean
  /** What the node writes of a batch when that can be told of the batch alone; then its instance has `write`. */
  text?(settings: S["Type"], component: string): ((batch: Batch) => string) | undefined
  /** What the node will {@link RunContext.open}. */
  references?(settings: S["Type"]): ReadonlyArray<Reference>
  /** The file that the node writes. */
  target?(settings: S["Type"], component: string): Target
  /** What the analytics engine does in place of `start`. Absent: it gives the node records, or takes them from it. */
  analytics?(settings: S["Type"], component: string): AnalyticsWork
  /**
   * Of an input whose records can be made in parallel parts of a run: reads the pieces, or why these settings do not
   * allow it. Absent: one instance makes all records.
   */
  pieces?(settings: S["Type"]): Result.Result<(context: NodeContext, take: Taker) => Promise<void>, string>
  /** Of an output: how it encodes rows of texts, where it can; then its instance has `write`. */
  rowEncoding?(settings: S["Type"]): RowEncoding | undefined
  /** Of an input: `start` for a run in which its rows are encoded as it reads them, where it can do that. */
  startEncoded?(
    settings: S["Type"],
    encoding: RowEncoding
  ): ((context: NodeContext, write: WriteRows) => Promise<Instance>) | undefined
  /** What SQL can know of the node's records by its settings, which may be faulty. Undefined: nothing. */
  relation?(settings: Readonly<Record<string, unknown>>): Relation | undefined
  start(settings: S["Type"], context: NodeContext): Instance | Promise<Instance>
}

/** Keeps the settings' type between a node's schema and its functions. */
export const node = <S extends Schema.Codec<unknown, unknown>>(definition: NodeType<S>): NodeType<S> => definition
