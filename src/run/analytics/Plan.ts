import { Result, Schema } from "effect"
import type { AnalyticsWork } from "../../nodes/Capabilities.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import type { Instance, NodeContext, NodeType, RunContext } from "../../nodes/Node.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import { type NodeCounters, replacedCounts } from "../../protocol/RunProtocol.ts"
import { sendersFirst } from "../../protocol/TopologicalOrder.ts"
import { NodeFailure } from "../stream/NodeFailure.ts"

/**
 * What a node publishes: the full SQL name of a table or view, and the number of its records if it is known already.
 */
export interface Relation {
  readonly name: string
  records: number
  /** Set when a statement that reads the relation counts its records: the path to look up. */
  readonly path?: string
}

/** A node with its counters. */
export class PlannedNode {
  readonly component: string
  readonly node: DagNode
  readonly type: NodeType
  readonly settings: unknown
  /** The node's SQL form; undefined when it runs as in the stream runtime. */
  readonly work: AnalyticsWork | undefined
  readonly context: RunContext
  /** What the node reads, in the order of its subscriptions. */
  readonly inputs: Array<{ readonly component: string; readonly stream: string; readonly from: PlannedNode }> = []
  readonly subscribers: Array<PlannedNode> = []
  /** By stream. */
  readonly relations = new Map<string, Relation>()
  /** Files that the node has read, if it reads files. */
  files: number | undefined
  errors = 0
  lastError: string | undefined
  #replaced = 0

  constructor(node: DagNode, makeContext: (component: string) => RunContext) {
    this.component = componentOf(node)
    this.node = node
    const fail = (detail: string) => new NodeFailure({ component: this.component, detail, cause: undefined })
    const type = catalogue.get(node.type)
    if (type === undefined || !type.runtimes.includes("analytics")) {
      throw fail(`${node.type} does not run in analytics`)
    }
    this.type = type
    this.context = makeContext(this.component)
    const settings = Schema.decodeUnknownResult(type.settings)(node.settings)
    if (Result.isFailure(settings)) throw fail(settings.failure.message)
    this.settings = settings.success
    this.work = type.analytics?.(settings.success, this.component)
  }

  /** The relations that the node reads, one per subscription. */
  get sources(): ReadonlyArray<Relation> {
    return this.inputs.flatMap(({ from, stream }) => from.relations.get(stream) ?? [])
  }

  publishes(stream: string): boolean {
    return this.node.publish.some((publication) => publication.stream === stream)
  }

  reject(count: number, reason: string): void {
    if (count === 0) return
    this.errors += count
    this.lastError = reason
  }

  /** Counts bytes of an input that became U+FFFD. */
  readonly replaced = (bytes: number): void => {
    this.#replaced += bytes
  }

  /** Counts failed records. The context is told only when no stream publishes them. */
  failed({ count, reason }: { readonly count: number; readonly reason: string }): void {
    this.reject(count, reason)
    if (count > 0 && !this.publishes("errors")) this.context.reject(count, reason)
  }

  /** Starts the node as in the stream runtime. */
  async start(signal: AbortSignal): Promise<Instance> {
    return this.type.start(this.settings, this.#started(signal))
  }

  /** Reads a text in place of the node's own source; undefined where the node has no way of its own to do so. */
  sample(text: Uint8Array, encoding: "utf-8" | undefined, signal: AbortSignal): Instance | undefined {
    const read = this.type.sample?.(this.settings, this.#started(signal))
    return read && { run: (emit) => read(text, emit, encoding) }
  }

  #started(signal: AbortSignal): NodeContext {
    const { component, context, replaced } = this
    const reject = (count: number, reason: string) => {
      this.reject(count, reason)
      context.reject(count, reason)
    }
    const position = { ...context.position, save: () => {} }
    return { ...context, component, position, emit: () => {}, reject, replaced, signal }
  }

  counters(): NodeCounters {
    const published = new Set(this.relations.entries().flatMap(([stream, it]) => (stream === "errors" ? [] : [it])))
    const sum = (relations: Iterable<Relation>) => [...relations].reduce((total, { records }) => total + records, 0)
    return {
      component: this.component,
      recordsIn: sum(this.sources),
      recordsOut: sum(published),
      errors: this.errors,
      ...(this.files === undefined ? {} : { files: this.files }),
      ...(this.lastError === undefined ? {} : { lastError: this.lastError }),
      ...replacedCounts(this.#replaced)
    }
  }
}

/** The nodes of a flowline and their connections. */
export class Graph {
  readonly plannedNodes: ReadonlyArray<PlannedNode>
  /** Senders before receivers. Validation has refused cycles. */
  readonly ordered: ReadonlyArray<PlannedNode>

  constructor(flowline: Flowline, makeContext: (component: string) => RunContext) {
    this.plannedNodes = flowline.dag.map((node) => new PlannedNode(node, makeContext))
    const byName = new Map(this.plannedNodes.map((planned) => [planned.component, planned]))
    for (const planned of this.plannedNodes) {
      for (const { component, stream } of planned.node.subscribe) {
        const from = byName.get(component)
        if (from === undefined) continue
        planned.inputs.push({ component, stream, from })
        from.subscribers.push(planned)
      }
    }
    this.ordered = sendersFirst(this.plannedNodes, ({ subscribers }) => subscribers)
  }
}
