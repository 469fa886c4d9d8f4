import type { Result, Schema } from "effect"
import type { Fields } from "../languages/FieldPath.ts"
import type { ScriptFault } from "../languages/flowlet/Outcome.ts"
import type { Purpose } from "../languages/flowlet/Program.ts"
import type { Guard } from "../languages/Guard.ts"
import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { RowEncoding } from "../languages/query/IndexedDocument.ts"
import type { RunLimit } from "../protocol/Allowances.ts"
import type { Runtime } from "../protocol/Flowline.ts"
import type { Reference } from "../protocol/References.ts"
import type { Roots } from "../protocol/Roots.ts"
import type { NodeCounter } from "../protocol/RunProtocol.ts"
import type { RunTrigger, TriggerBody } from "../protocol/Trigger.ts"
import type {
  Alternatives,
  AnalyticsWork,
  Block,
  BlockFormat,
  Need,
  Relation,
  RootUse,
  Target
} from "./Capabilities.ts"
import type { FieldUse } from "./FieldUse.ts"
import type { OpenDatabase } from "./ports/Databases.ts"
import type { Documents } from "./ports/Documents.ts"
import type { Network } from "./ports/Network.ts"
import type { InputFiles, Lend, OpenFile, Sink, Storage, StoredFile } from "./ports/NodeFiles.ts"
import type { Position } from "./ports/Position.ts"

/** A record of a flowline: a JSON object. Numbers beyond the range or precision of a double are strings. */
export type Event = Fields
/** The records that pass between nodes at once: at most about 256 KiB. */
export type Batch = ReadonlyArray<Event>

/**
 * The stream for nodes whose stream names the flowline chooses: stands for all published streams that the node does not
 * name itself.
 */
export const chosen = "*"
/** The stream of records that a node could not process. If the flowline does not publish it, they are only counted. */
export const errors = "errors"

/**
 * Sends a batch to the subscribers of one of the node's streams ({@link chosen}, {@link errors} or a name of its own).
 * Await the result, which is the back-pressure on a fast input. The batch and its events then belong to the receivers.
 */
export type Emit = (stream: string, batch: Batch) => void | Promise<void>

/**
 * Everything that a running node can access. Paths are relative and stay inside their storage. The files of the context
 * itself are those of the tenant's configuration folder and, where nothing matches there, of its data area.
 */
export interface RunContext extends InputFiles {
  /** The files of another storage. */
  readonly filesIn: (storage: Storage) => InputFiles
  /** Opens a stored file. Only references declared by the node's type or the flowline's settings are available. */
  readonly open: (reference: Reference) => Promise<StoredFile>
  /** The node's position as it was last saved. */
  readonly position: Pick<Position, "load">
  /**
   * Saves the positions of nodes, by component, with the lengths of the files that are appended to. Every node has made
   * durable what it received, and nothing is under way between them.
   */
  readonly savePositions: (positions: Readonly<Record<string, unknown>>) => void | Promise<void>
  /**
   * What the node has left in the last successful execution of its saved flowline, and what it leaves when this one
   * succeeds. Values are JSON. Absent in trials, and nothing is kept where the flowline is not saved.
   */
  readonly carried?: { readonly load: () => unknown; readonly save: (value: unknown) => void } | undefined
  readonly network: Network
  /** The tenant's indices; absent where there is no search. */
  readonly documents?: Documents
  /** Opens a database of the tenant's; absent in a part of a run. */
  readonly openDatabase?: OpenDatabase
  /** An incremental SHA-256. */
  readonly sha256?: () => { readonly update: (bytes: Uint8Array) => void; readonly hex: () => string }
  /**
   * Prefix of the ids of this run's records. An attempt that starts over has the same one, an attempt that resumes
   * another.
   */
  readonly runId?: string
  /** As `work`, for the ids of records that are sent; absent where a later attempt does not get the same records. */
  readonly origin?: string | undefined
  /** Id of the execution, or of the job with its task, in all attempts: in the sources of records that they read again. */
  readonly work?: string | undefined
  /** Key of the stored positions: in the sources of records after which a later attempt goes on. */
  readonly scope?: string | undefined
  /** What started the execution, and the body of its webhook; absent where no schedule did. */
  readonly trigger?: RunTrigger | undefined
  readonly triggerBody?: TriggerBody | undefined
  /** The tenant's grok patterns; only where a node of the flowline may use them. */
  readonly patterns?: TenantDefinitions | undefined
  /**
   * Opens a file to write, by default in the tenant's data area. With `append` it grows in place, its bytes are visible
   * at once, and no other process can append to it. An object of an S3 storage is visible when the run has succeeded.
   */
  readonly file: (path: string, append?: boolean, storage?: Storage) => Promise<Sink>
  /** Counts what is about to be written against a limit of the tenant; fails when it is too much. */
  readonly spend?: (limit: RunLimit, amount: number) => void
  /** Opens an entry of the execution's archive. A second entry waits until the first is closed. */
  readonly archiveEntry: (name: string) => Promise<Sink>
  /** Prints lines to the execution's output. */
  readonly print: (lines: ReadonlyArray<string>) => void | Promise<void>
  /** Time limits for code that may not terminate; absent where a hanging run blocks nobody. */
  readonly guard?: Guard | undefined
  /** Counts failed records of this node that no stream publishes, and keeps one reason as a sample. */
  readonly reject: (count: number, reason: string) => void
  /** Aborted when the run is cancelled or another node failed. */
  readonly signal: AbortSignal
}

/** What the pipeline provides to a node. */
export interface NodeContext extends RunContext {
  /** The node's component name in the flowline. */
  readonly component: string
  readonly position: Position
  /** Announces the total number of records that this node will emit; absent where it is not used. */
  readonly expect?: (total: number) => void
  /** Whether the flowline publishes the records that this node fails; absent where it does. */
  readonly publishesErrors?: () => boolean
  /** Reports the number of input bytes that this node has not read yet. */
  readonly behind?: (bytes: number) => void
  /** Counts what the members of `NodeCounters` of these names say. */
  readonly counted?: (what: NodeCounter, count: number) => void
  /** Counts bytes that the input's encoding does not have, and that became U+FFFD. */
  readonly replaced?: (bytes: number) => void
  /** Whether a node of the flowline asks for the sources of records: see nodes/records/Source. */
  readonly isSourced?: boolean
  /** Resolves when every node has made durable, or sent on, what was emitted before the call; absent where not used. */
  readonly stored?: () => Promise<void>
  /** Emits records outside of a call to the instance, such as those of a timer. */
  readonly emit: Emit
}

/**
 * A node of a running flowline. It must not change an event that it received, because other nodes may have received it
 * too. `process` is called again only after its last call has settled. An input has `run`; other nodes receive every
 * batch through `process`, then one `end`.
 */
export interface Instance {
  readonly run?: (emit: Emit) => Promise<void>
  readonly process?: (batch: Batch, emit: Emit) => void | Promise<void>
  readonly end?: (emit: Emit) => void | Promise<void>
  /**
   * Makes durable, or sends on, the records received so far. Called between batches when an input saves its position.
   */
  readonly flush?: (emit: Emit) => void | Promise<void>
  /** What a later attempt has to know when the inputs go on at their positions: saved with them, after `flush`. */
  readonly position?: () => unknown
  /**
   * Replaces `process` for a batch whose {@link NodeType.text} was produced elsewhere. `text` is UTF-8, may lie in
   * shared memory, and must not be used after the call has settled, unless it is taken with `lend`.
   */
  readonly write?: (text: Uint8Array, records: number, lend?: Lend) => void | Promise<void>
}

/** A fault in a node's settings that its schema cannot express, such as a pattern that does not compile. */
export interface SettingsIssue {
  /** Path inside `settings`, for example `["patterns", 0]`. */
  readonly path: ReadonlyArray<string | number>
  readonly detail: string
  /** Whether the member's name is at fault, or where in its text, from 1. */
  readonly key?: true
  readonly line?: number
  readonly column?: number
}

/** The flowline's properties that a check uses, as far as a faulty flowline has them. */
export interface Surroundings {
  readonly runtime?: Runtime | undefined
  /** The tenant of the flowline, and its grok patterns. */
  readonly tenant?: string | undefined
  readonly patterns?: TenantDefinitions | undefined
  /** The operator's roots that the tenant may use, and the gateway's own ports; unchecked where they are not known. */
  readonly roots?: Roots | undefined
  readonly ownPorts?: ReadonlyArray<number> | undefined
  /** The settings that are faulty by themselves: the check does not get them. */
  readonly faulty?: ReadonlySet<string> | undefined
}

/**
 * What a check can use. The compiler of programs and the parser of queries are passed in, so that a run does not load
 * them with its nodes, which would cost memory.
 */
export interface CheckContext extends Surroundings {
  /** The syntax fault of a program. */
  readonly programFault: (text: string, purpose: Purpose) => ScriptFault | undefined
  /** The faults of an Elasticsearch query, with paths inside it. */
  readonly queryFaults: (query: unknown) => ReadonlyArray<SettingsIssue>
}

/** Receives the data of an input in pieces: blocks of lines, or records of formats without lines. */
export interface Taker {
  readonly block: (block: Block, format: BlockFormat) => void | Promise<void>
  /** Receives a whole file instead of its blocks, and closes it. */
  readonly file?: (file: OpenFile, format: BlockFormat) => Promise<void>
  readonly emit: Emit
}

/** Receives encoded rows and their number. */
type WriteRows = (bytes: Uint8Array, rows: number) => Promise<void>

/**
 * An entry of the catalogue. Validation, the scan, the documentation and runs all use it. `settings` is a struct schema
 * whose fields have descriptions; its keys are snake_case.
 */
export interface NodeType<S extends Schema.Codec<unknown, unknown> = Schema.Codec<unknown, unknown>> {
  readonly type: string
  readonly kind: "input" | "processing" | "output"
  readonly description: string
  readonly runtimes: ReadonlyArray<Runtime>
  readonly settings: S
  /** The permitted number of subscriptions. */
  readonly inputs: { readonly min: number; readonly max: number }
  /** Names of the streams that it can publish, such as `errors`; `*` means names that the flowline chooses. */
  readonly outputs: ReadonlyArray<string>
  readonly example: Record<string, unknown>
  /** Names under which the node is looked for, for "did you mean". */
  readonly aliases?: ReadonlyArray<string>
  /** Settings that are looked for in this node and belong to another one, whose type stands there. */
  readonly elsewhere?: Readonly<Record<string, string>>
  /** What a run with this node needs in addition. */
  readonly needs?: ReadonlyArray<Need>
  /** What its counts mean: see nodes/flowline/Outcome. Those that enrich or read files use {@link NodeContext.counted}. */
  readonly effect?: "parses" | "selects" | "enriches" | "reads files"
  /**
   * Settings whose texts may refer to secrets (`${secret:NAME}`), so that their values are known only in the run. Their
   * schemas have to accept references, and nothing but `start` may depend on them. Absent: none.
   */
  readonly secrets?: ReadonlyArray<string>
  // Methods, whose parameters are bivariant: the catalogue passes each node only what its own schema decoded.
  /** Whether these settings need what `needs` says. Absent: they do. */
  isNeeding?(settings: S["Type"]): boolean
  /** Faults that the schema cannot express. */
  check?(settings: S["Type"], context: CheckContext): ReadonlyArray<SettingsIssue>
  /** The streams named in the settings, which the flowline has to publish, with their paths in the settings. */
  streams?(
    settings: S["Type"]
  ): ReadonlyArray<{ readonly stream: string; readonly path: ReadonlyArray<string | number> }>
  /**
   * For an input: reads a text as its own source, in trials; `encoding` is that of the text where it is not the one of
   * the settings. Absent: each line is a record with the member `message`.
   */
  sample?(
    settings: S["Type"],
    context: NodeContext
  ): (text: Uint8Array, emit: Emit, encoding?: "utf-8") => Promise<void>
  /** The alternatives among its settings, so that a trial can name those that fit no record. */
  alternatives?(settings: S["Type"], context: NodeContext): Alternatives
  /** Whether the node processes every record independently, so that instances can share them. Absent: it does not. */
  isStateless?(settings: S["Type"]): boolean
  /** The text that the node writes for a batch, if that depends on the batch alone; then its instance has `write`. */
  text?(settings: S["Type"], component: string): ((batch: Batch) => string) | undefined
  /** The references that the node passes to {@link RunContext.open}. */
  references?(settings: S["Type"]): ReadonlyArray<Reference>
  /** The file that the node writes as a whole. */
  target?(settings: S["Type"], component: string): Target
  /** The file that the node appends to, if it does: see `fileKey` in protocol/Roots. */
  appends?(settings: S["Type"]): string | undefined
  /** The root that the node names, and whether it writes there. */
  roots?(settings: S["Type"]): RootUse | undefined
  /** For an output that gives the records ids, which it makes of their sources. */
  readonly identifies?: true
  /** For an input: whether a later attempt goes on at its position. Absent: it begins anew. */
  keepsPosition?(settings: S["Type"]): boolean
  /** Whether it uses {@link RunContext.carried}. Absent: it does not. */
  carries?(settings: S["Type"]): boolean
  /** What it cannot keep of what its settings say, as records come from these inputs, which are live. */
  hints?(settings: S["Type"], live: ReadonlyArray<string>): ReadonlyArray<string>
  /** For an input whose records come from outside and only once: a later attempt does not get them again. */
  readonly isLive?: true
  /** The SQL form of the node in analytics. Absent or undefined: the node runs as in the stream runtime. */
  analytics?(settings: S["Type"], component: string): AnalyticsWork | undefined
  /**
   * For an input whose records can be produced in parallel parts of a run: the function that reads the pieces, or why
   * these settings do not allow it. Absent: one instance produces all records.
   */
  pieces?(settings: S["Type"]): Result.Result<(context: NodeContext, take: Taker) => Promise<void>, string>
  /** For an output: how it encodes rows of texts, if it can; then its instance has `write`. */
  rowEncoding?(settings: S["Type"]): RowEncoding | undefined
  /** For an input: `start` for a run in which it encodes its rows, if it can. */
  startEncoded?(
    settings: S["Type"],
    encoding: RowEncoding
  ): ((context: NodeContext, write: WriteRows) => Promise<Instance>) | undefined
  /** What the node does with the fields of records. Absent: it uses whole records, and publishes any fields. */
  fields?(settings: S["Type"], surroundings: Surroundings): FieldUse
  /** What SQL can know about the node's records from its settings, which may be faulty. Undefined: nothing. */
  relation?(settings: Readonly<Record<string, unknown>>): Relation | undefined
  /** The grok expressions in its settings, which may be faulty, that their check compiles. Absent: it takes no time. */
  expressions?(settings: Readonly<Record<string, unknown>>): unknown
  start(settings: S["Type"], context: NodeContext): Instance | Promise<Instance>
}

/** Defines a node; infers the type of its settings from its schema. */
export const node = <S extends Schema.Codec<unknown, unknown>>(definition: NodeType<S>): NodeType<S> => definition
