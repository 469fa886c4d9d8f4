import { Schema } from "effect"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import {
  type Batch,
  chosen,
  type Emit,
  errors,
  type Instance,
  type NodeType,
  type RunContext
} from "../../nodes/Node.ts"
import type { Lend } from "../../nodes/ports/NodeFiles.ts"
import { reasonOf } from "../../nodes/records/Failures.ts"
import { SourceNumbers } from "../../nodes/records/Source.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import { sendersFirst } from "../../protocol/TopologicalOrder.ts"
import { Commits } from "./Commits.ts"
import { NodeCounts } from "./NodeCounts.ts"
import { NodeFailure } from "./NodeFailure.ts"
import { sharedCalls } from "./SharedCalls.ts"

/** A running flowline. */
export interface Pipeline {
  /**
   * Starts every node, runs the inputs concurrently until all of them have ended, then ends the others in topological
   * order. Rejects with the first {@link NodeFailure} after every input has stopped, or with the abort reason of the
   * contexts' signal.
   */
  readonly run: () => Promise<void>
  /** Counters in the order of the flowline's nodes; may be read at any time. */
  readonly counters: () => ReadonlyArray<NodeCounters>
  /** Passes a batch from outside of this pipeline to a node. */
  readonly take: (component: string, batch: Batch) => Promise<void>
  /** Passes the text of a batch to a node: see {@link NodeType.text}. */
  readonly write: (component: string, text: Uint8Array, records: number, lend?: Lend) => Promise<void>
}

/**
 * Milliseconds after which inputs yield to the event loop. A chain of batches that never waits would starve timers and
 * messages.
 */
const breathMillis = 10
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Connects the nodes of a decoded flowline. A batch is passed to its subscribers one after the other, and `emit`
 * resolves when all of them have taken it, which gives back-pressure. A node with several senders processes their
 * batches in turn.
 */
export const pipeline = (
  flowline: Flowline,
  makeContext: (component: string) => RunContext,
  typeOf: (type: string, node: DagNode) => NodeType | undefined = (type) => catalogue.get(type)
): Pipeline => {
  const abort = new AbortController()
  const streamNodes = flowline.dag.map(
    (node) => new StreamNode(node, typeOf(node.type, node), makeContext(componentOf(node)), abort)
  )
  const byName = new Map(streamNodes.map((streamNode) => [streamNode.component, streamNode]))
  for (const streamNode of streamNodes) {
    for (const { component, stream } of streamNode.node.subscribe) {
      byName.get(component)?.subscribers.get(stream)?.push(streamNode)
    }
  }

  // Validation has refused cycles.
  const ordered = sendersFirst(streamNodes, ({ subscribers }) => [...subscribers.values()].flat())

  const flush = async (): Promise<void> => {
    for (const streamNode of ordered) await streamNode.flush()
  }

  const commits = new Commits(
    async (positions) => {
      await flush()
      const own = streamNodes.flatMap((streamNode) => streamNode.position())
      await streamNodes[0]?.context.savePositions({ ...positions, ...Object.fromEntries(own) })
    },
    (cause) => abort.signal.aborted || abort.abort(cause)
  )

  const stored = sharedCalls(flush)

  const isSourced = streamNodes.some(({ type }) => type.identifies === true)

  const runInputs = async (): Promise<void> => {
    let breathed = performance.now()
    const inputs = streamNodes.map(async (streamNode) => {
      const { type, component, context } = streamNode
      const numbers = isSourced ? SourceNumbers.of(type, component, context) : undefined
      await streamNode.input(async (stream, batch) => {
        const turn = commits.emitting(streamNode.component)
        if (turn !== undefined) await turn
        await streamNode.emit(stream, numbers?.name(batch, stream) ?? batch)
        if (performance.now() - breathed > breathMillis) {
          await breath()
          breathed = performance.now()
        }
        abort.signal.throwIfAborted()
      })
    })
    await Promise.allSettled(inputs)
  }

  return {
    run: async () => {
      const cancelled = AbortSignal.any([...new Set(streamNodes.map((streamNode) => streamNode.context.signal))])
      const cancel = () => abort.abort(cancelled.reason)
      cancelled.addEventListener("abort", cancel, { once: true })
      try {
        cancelled.throwIfAborted()
        for (const streamNode of streamNodes) await streamNode.start(commits, stored, isSourced)
        await runInputs()
        for (const streamNode of ordered) {
          abort.signal.throwIfAborted()
          await streamNode.end()
        }
      } catch (cause) {
        if (!abort.signal.aborted) abort.abort(cause)
        throw abort.signal.reason
      } finally {
        commits.stop()
        cancelled.removeEventListener("abort", cancel)
      }
    },
    counters: () => streamNodes.map((streamNode) => streamNode.counters()),
    take: async (component, batch) => byName.get(component)?.take(batch),
    write: async (component, text, records, lend) => byName.get(component)?.write(text, records, lend)
  }
}

/** A node with its subscribers, counters and queue. */
class StreamNode {
  readonly component: string
  readonly node: DagNode
  readonly context: RunContext
  readonly subscribers: Map<string, Array<StreamNode>>
  readonly type: NodeType
  readonly #abort: AbortController
  /** The published streams for {@link chosen}. */
  readonly #chosen: ReadonlyArray<string>
  #instance: Instance = {}
  /** Settles when the accepted batches are processed; undefined when the node is idle. */
  #busy: Promise<void> | undefined
  readonly #counts = new NodeCounts()

  constructor(node: DagNode, type: NodeType | undefined, context: RunContext, abort: AbortController) {
    this.component = componentOf(node)
    this.node = node
    this.context = context
    this.#abort = abort
    if (type === undefined) throw this.#failure(new Error(`unknown node type ${node.type}`))
    this.type = type
    this.subscribers = new Map(node.publish.map(({ stream }) => [stream, []]))
    const streams = [...this.subscribers.keys()].filter((stream) => stream !== errors)
    if (streams.length > 1) this.#counts.streams = new Map(streams.map((stream) => [stream, 0]))
    this.#chosen = [...this.subscribers.keys()].filter((stream) => !type.outputs.includes(stream))
  }

  #failure(cause: unknown): NodeFailure {
    if (cause instanceof NodeFailure) return cause
    const detail = messageOf(cause)
    return new NodeFailure({ component: this.component, detail, cause })
  }

  /** Runs a step of the node. The first failure aborts the whole run. */
  async #guard(step: () => void | Promise<void>): Promise<void> {
    try {
      await step()
    } catch (cause) {
      if (!this.#abort.signal.aborted) this.#abort.abort(this.#failure(cause))
      throw this.#abort.signal.reason
    }
  }

  start(commits: Commits, stored: () => Promise<void>, isSourced: boolean): Promise<void> {
    return this.#guard(async () => {
      const settings = Schema.decodeUnknownSync(this.type.settings)(this.node.settings)
      const reject = (count: number, reason: string) => this.#reject(count, reason)
      const { component, emit } = this
      const position = commits.of(this.component, this.context.position)
      const expect = (total: number) => {
        this.#counts.total = total
      }
      const behind = (bytes: number) => {
        this.#counts.lag = bytes
      }
      const { counted, replaced } = this.#counts
      const { signal } = this.#abort
      const publishesErrors = () => this.subscribers.has(errors)
      const told = { expect, behind, counted, reject, replaced }
      const own = { position, component, emit, stored, isSourced, publishesErrors, signal }
      const context = { ...this.context, ...told, ...own }
      this.#instance = await this.type.start(settings, context)
    })
  }

  /** Runs the input to its end. `emit` is this node's own, extended by the pipeline for inputs. */
  input(emit: Emit): Promise<void> {
    return this.#guard(async () => {
      await this.#instance.run?.(emit)
      this.#abort.signal.throwIfAborted()
    })
  }

  /** Processes a batch after the earlier ones. */
  take(batch: Batch): Promise<void> {
    return this.#inTurn(batch.length, () => {
      this.#counts.recordsIn += batch.length
      return this.#instance.process?.(batch, this.emit)
    })
  }

  write(text: Uint8Array, records: number, lend?: Lend): Promise<void> {
    return this.#inTurn(records, () => {
      this.#counts.recordsIn += records
      return this.#instance.write?.(text, records, lend)
    })
  }

  /** Makes the accepted records durable, between two batches. */
  async flush(): Promise<void> {
    if (this.#instance.flush !== undefined) await this.#inTurn(0, () => this.#instance.flush?.(this.emit))
  }

  /** What the node itself keeps for a later attempt, with its component; empty when it keeps nothing. */
  position(): ReadonlyArray<readonly [component: string, value: unknown]> {
    return this.#instance.position === undefined ? [] : [[this.component, this.#instance.position()]]
  }

  /** @param records that wait until the step is over */
  #inTurn(records: number, step: () => void | Promise<void>): Promise<void> {
    this.#counts.waiting += records
    const work = () =>
      this.#guard(() => {
        this.#abort.signal.throwIfAborted()
        return step()
      })
    const taken = this.#busy === undefined ? work() : this.#busy.then(work)
    const free = () => {
      this.#counts.waiting -= records
      if (this.#busy === taken) this.#busy = undefined
    }
    this.#busy = taken
    taken.then(free, free)
    return taken
  }

  end(): Promise<void> {
    return this.#guard(() => this.#instance.end?.(this.emit))
  }

  readonly emit = async (stream: string, batch: Batch): Promise<void> => {
    if (batch.length === 0) return
    if (stream === errors) this.#reject(batch.length, reasonOf(batch[0]), this.subscribers.has(errors))
    const names = stream === chosen ? this.#chosen : [stream]
    let sent = false
    for (const name of names) {
      const subscribers = this.subscribers.get(name)
      if (subscribers === undefined) continue
      sent = true
      for (const subscriber of subscribers) await subscriber.take(batch)
      const { streams } = this.#counts
      if (stream !== errors) streams?.set(name, (streams.get(name) ?? 0) + batch.length)
    }
    if (sent && stream !== errors) this.#counts.recordsOut += batch.length
  }

  /** Counts rejected records. The context is told only when no stream publishes them. */
  #reject(count: number, reason: string, published = false): void {
    this.#counts.errors += count
    this.#counts.lastError = reason
    if (!published) this.context.reject(count, reason)
  }

  counters(): NodeCounters {
    return this.#counts.of(this.component)
  }
}
