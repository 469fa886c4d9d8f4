import { Schema } from "effect"
import type { NodeCounters } from "../../engines/Engine.ts"
import { componentOf, type DagNode, type Flowline } from "../../flowlines/Flowline.ts"
import { catalogue } from "../Catalogue.ts"
import { fileInput, readFiles } from "../FileInput.ts"
import { type NodeType, node as nodeOf, type RunContext } from "../Node.ts"
import { type Pipeline, pipeline } from "../Pipeline.ts"
import type { Made, Piece } from "./Part.ts"
import type { Split } from "./Split.ts"

/** What a part made of a piece, and which part it was. */
export interface Finished extends Made {
  readonly part: number
}

/** The parts at work. */
export interface Crew {
  /** Pieces that should be under way at once. */
  readonly ahead: number
  /** Rejects with the failure of the part. */
  readonly take: (piece: Piece) => Promise<Finished>
}

/** The sums of what the parts counted. */
class Tally {
  readonly #last = new Map<number, ReadonlyMap<string, NodeCounters>>()
  readonly #sums = new Map<string, NodeCounters>()

  add({ part, counters }: Finished): void {
    const last = this.#last.get(part)
    for (const now of counters) {
      const before = last?.get(now.component)
      const sum = this.#sums.get(now.component)
      const grown = (name: "recordsIn" | "recordsOut" | "errors") =>
        (sum?.[name] ?? 0) + now[name] - (before?.[name] ?? 0)
      const lastError = now.errors > (before?.errors ?? 0) ? now.lastError : sum?.lastError
      this.#sums.set(now.component, {
        component: now.component,
        recordsIn: grown("recordsIn"),
        recordsOut: grown("recordsOut"),
        errors: grown("errors"),
        ...(lastError === undefined ? {} : { lastError })
      })
    }
    this.#last.set(part, new Map(counters.map((now) => [now.component, now])))
  }

  of(component: string): NodeCounters | undefined {
    return this.#sums.get(component)
  }
}

/**
 * A flowline whose inner nodes are parts elsewhere. What these make goes to the other nodes in the order of the pieces:
 * they see what they would see without parts.
 */
export const merged = (
  flowline: Flowline,
  { input, inside }: Split,
  makeContext: (component: string) => RunContext,
  crew: Crew
): Pipeline => {
  const tally = new Tally()

  const deliver = async (finished: Finished): Promise<void> => {
    tally.add(finished)
    for (const delivery of finished.deliveries) {
      if ("printedBy" in delivery) await makeContext(delivery.printedBy).print(delivery.lines)
      else if ("batch" in delivery) await whole.take(delivery.to, delivery.batch)
      else await whole.write(delivery.to, delivery.text, delivery.records)
    }
  }

  const reader = nodeOf({
    ...fileInput,
    start: (settings, context) => ({
      run: async () => {
        const underWay: Array<Promise<Finished>> = []
        let isBegun = false
        const take = async (piece: Piece) => {
          isBegun = true
          const finished = crew.take(piece)
          finished.catch(() => {})
          underWay.push(finished)
          if (underWay.length >= crew.ahead) await deliver(await underWay.shift()!)
          context.signal.throwIfAborted()
        }
        await readFiles(settings, context, {
          block: (block, format) => take({ block, format }),
          emit: (stream, batch) => take({ stream, batch })
        })
        // Nodes that cannot start fail the run, also when there is nothing for them to do.
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
    if (component === input) return reader
    if (type === undefined || !inside.has(component)) return type
    return nodeOf({ ...type, settings: Schema.Unknown, start: () => ({}) })
  }
  const whole = pipeline(flowline, makeContext, typeOf)
  return { ...whole, counters: () => whole.counters().map((own) => tally.of(own.component) ?? own) }
}
