import { Result, Schema } from "effect"
import type { BlockFormat } from "../../../nodes/Capabilities.ts"
import { catalogue } from "../../../nodes/Catalogue.ts"
import type { Split } from "../../../nodes/flowline/Split.ts"
import { blockBytes } from "../../../nodes/inputs/files/Blocks.ts"
import { type NodeType, node as nodeOf, type RunContext } from "../../../nodes/Node.ts"
import type { OpenFile, Sink } from "../../../nodes/ports/NodeFiles.ts"
import { componentOf, type DagNode, type Flowline } from "../../../protocol/Flowline.ts"
import { type NodeCounter, type NodeCounters, replacedCounts } from "../../../protocol/RunProtocol.ts"
import { type Pipeline, pipeline } from "../Pipeline.ts"
import type { Made, Piece } from "./Part.ts"

/** The result of a piece, and the number of the part that produced it. */
export interface FinishedPiece extends Made {
  readonly part: number
  /** Called when the deliveries were processed, so that the memory of their texts can be reused. */
  readonly free?: () => void
}

/** The running parts. */
export interface PartPool {
  /** Number of pieces that should be in progress at a time. */
  readonly ahead: number
  /** Announces that much input follows. */
  readonly hurry?: () => void
  /** Rejects with the failure of the part. */
  readonly take: (piece: Piece) => Promise<FinishedPiece>
}

/** Size of a file, in bytes, that takes long enough to read for starting more parts. */
const muchBytes = 32 * 1024 * 1024

/** Wraps a sink that keeps chunks after the call: it receives copies. */
const keeping = (sink: Sink): Sink =>
  sink.copies === true
    ? sink
    : { ...sink, write: (chunk) => sink.write(typeof chunk === "string" ? chunk : new Uint8Array(chunk)) }

const withKeeping = (context: RunContext): RunContext => ({
  ...context,
  file: async (...file) => keeping(await context.file(...file)),
  archiveEntry: async (name) => keeping(await context.archiveEntry(name))
})

/** Sums up the counters of the parts. */
class Tally {
  readonly #last = new Map<number, ReadonlyMap<string, NodeCounters>>()
  readonly #sums = new Map<string, NodeCounters>()

  add({ part, counters }: FinishedPiece): void {
    const last = this.#last.get(part)
    for (const now of counters) {
      const before = last?.get(now.component)
      const sum = this.#sums.get(now.component)
      const grown = (name: "recordsIn" | "recordsOut" | "errors") =>
        (sum?.[name] ?? 0) + now[name] - (before?.[name] ?? 0)
      const counted = (name: Exclude<NodeCounter, "files">) =>
        now[name] === undefined ? {} : { [name]: (sum?.[name] ?? 0) + now[name] - (before?.[name] ?? 0) }
      const { streams } = now
      const ways = (stream: string) =>
        (sum?.streams?.[stream] ?? 0) + (streams?.[stream] ?? 0) - (before?.streams?.[stream] ?? 0)
      const lastError = now.errors > (before?.errors ?? 0) ? now.lastError : sum?.lastError
      this.#sums.set(now.component, {
        component: now.component,
        recordsIn: grown("recordsIn"),
        recordsOut: grown("recordsOut"),
        ...(streams === undefined
          ? {}
          : { streams: Object.fromEntries(Object.keys(streams).map((stream) => [stream, ways(stream)])) }),
        errors: grown("errors"),
        ...counted("matched"),
        ...counted("unmatched"),
        ...counted("reloads"),
        ...counted("failedReloads"),
        ...(lastError === undefined ? {} : { lastError }),
        ...replacedCounts((sum?.replacedBytes ?? 0) + (now.replacedBytes ?? 0) - (before?.replacedBytes ?? 0))
      })
    }
    this.#last.set(part, new Map(counters.map((now) => [now.component, now])))
  }

  of(component: string): NodeCounters | undefined {
    return this.#sums.get(component)
  }
}

/**
 * A flowline whose inner nodes run as parts elsewhere. The results go to the other nodes in the order of the pieces, so
 * these see no difference to a run without parts.
 */
export const merged = (
  flowline: Flowline,
  { input, inside }: Split,
  makeContext: (component: string) => RunContext,
  parts: PartPool
): Pipeline => {
  const tally = new Tally()

  /** Settles when no text of the pieces so far is on loan. */
  let returned: Promise<unknown> = Promise.resolve()

  const deliver = async (finished: FinishedPiece): Promise<void> => {
    tally.add(finished)
    const loans: Array<Promise<void>> = []
    const lend = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      loans.push(promise)
      return resolve
    }
    for (const delivery of finished.deliveries) {
      if ("printedBy" in delivery) await makeContext(delivery.printedBy).print(delivery.lines)
      else if ("batch" in delivery) await whole.take(delivery.to, delivery.batch)
      else await whole.write(delivery.to, delivery.text, delivery.records, lend)
    }
    // A part reuses its memory in the order of its pieces, so none is freed before an earlier one.
    returned = Promise.all([returned, ...loans]).then(() => finished.free?.())
  }

  const reader = (type: NodeType): NodeType => ({
    ...type,
    start: (settings, context) => ({
      run: async () => {
        const pieces = type.pieces?.(settings)
        if (pieces === undefined) throw new Error(`${type.type} cannot be read in pieces`)
        const read = Result.getOrThrow(pieces)
        const underWay: Array<Promise<FinishedPiece>> = []
        let isBegun = false
        const take = async (piece: Piece) => {
          isBegun = true
          const finished = parts.take(piece)
          finished.catch(() => {})
          underWay.push(finished)
          if (underWay.length >= parts.ahead) await deliver(await underWay.shift()!)
          context.signal.throwIfAborted()
        }
        /** Splits the file into ranges, up to its end at the time when it is reached. */
        const file = async (file: OpenFile, format: BlockFormat) => {
          try {
            let size = await file.size()
            if (size >= muchBytes) parts.hurry?.()
            for (let from = 0, isEnd = false; !isEnd; from += blockBytes) {
              if (from + blockBytes >= size) size = await file.size()
              isEnd = from + blockBytes >= size
              const to = Math.max(from, Math.min(from + blockBytes, size))
              await take({ range: { file: file.id, from, to, isEnd }, format })
            }
          } finally {
            // Not closed earlier: a part may still read, and its descriptor could be given to another file.
            void Promise.allSettled(underWay).then(() => file.close())
          }
        }
        await read(context, {
          block: (block, format) => take({ block, format }),
          file,
          emit: (stream, batch) => take({ stream, batch })
        })
        // Nodes that cannot start fail the run, even without input.
        if (!isBegun) await take({ block: { pieces: [], isFirst: true }, format: "lines" })
        for (const finished of underWay) {
          await deliver(await finished)
          context.signal.throwIfAborted()
        }
      }
    })
  })
  const typeOf = (name: string, node: DagNode): NodeType | undefined => {
    const component = componentOf(node)
    const type = catalogue.get(name)
    if (type === undefined || !inside.has(component)) return type
    if (component === input) return reader(type)
    return nodeOf({ ...type, settings: Schema.Unknown, start: () => ({}) })
  }
  const whole = pipeline(flowline, (component) => withKeeping(makeContext(component)), typeOf)
  /** The parts count the records; the bytes of a file that is read as a whole are decoded here. */
  const countersOf = (own: NodeCounters): NodeCounters => {
    const parts = tally.of(own.component)
    if (parts === undefined) return own
    const replaced = replacedCounts((parts.replacedBytes ?? 0) + (own.replacedBytes ?? 0))
    return { ...parts, ...(own.files === undefined ? {} : { files: own.files }), ...replaced }
  }
  return { ...whole, counters: () => whole.counters().map(countersOf) }
}
