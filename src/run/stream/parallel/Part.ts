import { Schema } from "effect"
import type { Block, BlockFormat } from "../../../nodes/Capabilities.ts"
import { catalogue } from "../../../nodes/Catalogue.ts"
import type { Split } from "../../../nodes/flowline/Split.ts"
import { sendBlock } from "../../../nodes/inputs/files/Blocks.ts"
import { type Range, Ranges, type ReadAt } from "../../../nodes/inputs/files/Ranges.ts"
import { type Batch, type NodeContext, type NodeType, node as nodeOf, type RunContext } from "../../../nodes/Node.ts"
import { componentOf, type DagNode, type Flowline } from "../../../protocol/Flowline.ts"
import type { NodeCounters } from "../../../protocol/RunProtocol.ts"
import { pipeline } from "../Pipeline.ts"
import type { TextMemory } from "./TextMemory.ts"

/**
 * The input of a part: a range of a file that it reads itself, bytes that were read elsewhere, or records on a stream
 * of the input.
 */
export type Piece =
  | { readonly range: Range; readonly format: BlockFormat }
  | { readonly block: Block; readonly format: BlockFormat }
  | { readonly stream: string; readonly batch: Batch }

/** A batch for a node outside of the part, or lines that a node inside of it printed. */
type Delivery =
  | { readonly to: string; readonly batch: Batch }
  | { readonly to: string; readonly text: Uint8Array; readonly records: number }
  | { readonly printedBy: string; readonly lines: ReadonlyArray<string> }

/** The result of a piece, in the order of production. `counters` are the part's totals since its start. */
export interface Made {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly counters: ReadonlyArray<NodeCounters>
}

/** One instance of the inner nodes of a {@link Split}; there may be several. */
export interface Part {
  /** Processes one piece at a time. Rejects when a node failed, and then every time. */
  readonly take: (piece: Piece) => Promise<Made>
}

/** What a part needs besides the context of its nodes. */
interface Means {
  readonly readAt: ReadAt
  /** The memory for the texts that the part produces. */
  readonly texts: TextMemory
}

/** Makes a part. Its nodes start at once, and process one piece at a time. */
export const part = (
  flowline: Flowline,
  { input, inside }: Split,
  makeContext: (component: string) => RunContext,
  { readAt, texts }: Means
): Part => {
  const ranges = new Ranges(readAt)
  let deliveries: Array<Delivery> = []
  let wanted = Promise.withResolvers<Piece>()
  let made = Promise.withResolvers<void>()

  /** Replaces the input: passes on the pieces. */
  const feeder = (type: NodeType): NodeType => ({
    ...type,
    settings: Schema.Unknown,
    start: (_, context: NodeContext) => ({
      run: async (emit) => {
        for (;;) {
          const piece = await wanted.promise
          wanted = Promise.withResolvers()
          if ("stream" in piece) await emit(piece.stream, piece.batch)
          else {
            const blocks = "block" in piece ? [piece.block] : await ranges.blocks(piece.range)
            for (const block of blocks) await sendBlock(block, piece.format, context, emit)
          }
          made.resolve()
        }
      }
    })
  })

  /** Replaces a node outside: collects what that would receive. */
  const outside = (type: NodeType, node: DagNode): NodeType => {
    const to = componentOf(node)
    const text = type.text?.(Schema.decodeUnknownSync(type.settings)(node.settings), to)
    return nodeOf({
      ...type,
      settings: Schema.Unknown,
      start: () => ({
        process: (batch) => {
          deliveries.push(
            text === undefined ? { to, batch } : { to, text: texts.put(text(batch)), records: batch.length }
          )
        }
      })
    })
  }

  const typeOf = (name: string, node: DagNode): NodeType | undefined => {
    const type = catalogue.get(name)
    if (type === undefined) return undefined
    if (componentOf(node) === input) return feeder(type)
    return inside.has(componentOf(node)) ? type : outside(type, node)
  }
  const kept = flowline.dag.filter(
    (node) => inside.has(componentOf(node)) || node.subscribe.some(({ component }) => inside.has(component))
  )
  const [first, ...rest] = kept
  if (first === undefined) throw new Error("an empty part")
  const { run, counters } = pipeline(
    { ...flowline, dag: [first, ...rest] },
    (component) => ({
      ...makeContext(component),
      // The parts share the records, so none of them can number them.
      work: undefined,
      print: (lines) => {
        deliveries.push({ printedBy: component, lines })
      }
    }),
    typeOf
  )
  const failed = run()
  failed.catch(() => {})

  return {
    take: async (piece) => {
      texts.turn()
      made = Promise.withResolvers()
      wanted.resolve(piece)
      await Promise.race([made.promise, failed])
      const result = { deliveries, counters: counters().filter(({ component }) => inside.has(component)) }
      deliveries = []
      return result
    }
  }
}
