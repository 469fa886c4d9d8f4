import { Schema } from "effect"
import type { NodeCounters } from "../../engines/Engine.ts"
import { componentOf, type DagNode, type Flowline } from "../../flowlines/Flowline.ts"
import { catalogue } from "../Catalogue.ts"
import { type Block, type BlockFormat, sendBlock } from "../files/Blocks.ts"
import { type Batch, type NodeContext, type NodeType, node as nodeOf, type RunContext } from "../Node.ts"
import { pipeline } from "../Pipeline.ts"
import type { Split } from "./Split.ts"

/** What a part works on: a piece of a file, or records that were read elsewhere, on a stream of the input. */
export type Piece =
  | { readonly block: Block; readonly format: BlockFormat }
  | { readonly stream: string; readonly batch: Batch }

/** Something that a node outside of the part gets, or that a node inside of it printed. */
export type Delivery =
  | { readonly to: string; readonly batch: Batch }
  | { readonly to: string; readonly text: Uint8Array<ArrayBuffer>; readonly records: number }
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

const textEncoder = new TextEncoder()

export const part = (
  flowline: Flowline,
  { input, inside }: Split,
  makeContext: (component: string) => RunContext
): Part => {
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
          if ("block" in piece) await sendBlock(piece.block, piece.format, context, emit)
          else await emit(piece.stream, piece.batch)
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
            text === undefined ? { to, batch } : { to, text: textEncoder.encode(text(batch)), records: batch.length }
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
      made = Promise.withResolvers()
      wanted.resolve(piece)
      await Promise.race([made.promise, failed])
      const result = { deliveries, counters: counters().filter(({ component }) => inside.has(component)) }
      deliveries = []
      return result
    }
  }
}
