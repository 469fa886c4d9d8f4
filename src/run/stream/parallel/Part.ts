import { Schema } from "effect"
import type { Block, BlockFormat } from "../../../nodes/Capabilities.ts"
import { catalogue } from "../../../nodes/Catalogue.ts"
import { sendBlock } from "../../../nodes/inputs/files/Blocks.ts"
import { type Range, Ranges, type ReadAt } from "../../../nodes/inputs/files/Ranges.ts"
import { type Batch, type NodeContext, type NodeType, node as nodeOf, type RunContext } from "../../../nodes/Node.ts"
import type { Split } from "../../../nodes/Split.ts"
import { componentOf, type DagNode, type Flowline } from "../../../protocol/Flowline.ts"
import type { NodeCounters } from "../../../protocol/RunProtocol.ts"
import { pipeline } from "../Pipeline.ts"
import type { TextMemory } from "./TextMemory.ts"

/**
 * What a part works on: a piece of a file that it reads itself, one that was read elsewhere, or records on a stream of
 * the input.
 */
export type Piece =
  | { readonly range: Range; readonly format: BlockFormat }
  | { readonly block: Block; readonly format: BlockFormat }
  | { readonly stream: string; readonly batch: Batch }

/** Something that a node outside of the part gets, or that a node inside of it printed. */
export type Delivery =
  | { readonly to: string; readonly batch: Batch }
  | { readonly to: string; readonly text: Uint8Array; readonly records: number }
  | { readonly printedBy: string; readonly lines: ReadonlyArray<string> }

/** What a piece became, in the order in which it was made. `counters` are those of the part since it began. */
export interface Made {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly counters: ReadonlyArray<NodeCounters>
}

/** The nodes of a {@link Split}, with one of perhaps several instances of each. */
export interface Part {
  /** One piece after the other. Rejects when a node failed, and then ever after. */
  readonly take: (piece: Piece) => Promise<Made>
}

/** What a part has beyond the context of its nodes. */
export interface Means {
  readonly readAt: ReadAt
  /** Where the texts lie that it makes. */
  readonly texts: TextMemory
}

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

  /** Takes the pieces in place of the input. */
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

  /** Stands for a node outside: keeps what it would get. */
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
