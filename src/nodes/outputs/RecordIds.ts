import { Schema } from "effect"
import type { Event, NodeContext } from "../Node.ts"
import { type Source, sourceOf } from "../records/Source.ts"

/** What the numbers continue from when the inputs go on at their positions. */
const isSaved = Schema.is(Schema.Struct({ origin: Schema.String, sent: Schema.Finite }))

/** What tells a record from all others of this node: `number` counts those of one source, or those without any. */
interface Place {
  readonly of: string
  readonly at: number
  readonly number: number
}

/**
 * Ids of the records that a node sends, for servers that receive some of them again from a later attempt. An id follows
 * from where an input has read the record. So it does not matter in which order files and inputs were read, how the
 * records were divided into batches, or which way they took. Records that were made of several are numbered instead.
 */
export class RecordIds {
  readonly #context: NodeContext
  readonly #origin: string
  #numbered: number
  /** How many records of a source have passed: a program may make several of one. They share the object. */
  readonly #passed = new WeakMap<Source, number>()

  constructor(context: NodeContext) {
    this.#context = context
    // Records that will not come again get ids that do not come again either.
    const { origin = crypto.randomUUID() } = context
    const saved = context.position.load()
    const before = context.origin !== undefined && isSaved(saved) ? saved : { origin, sent: 0 }
    this.#origin = before.origin
    this.#numbered = before.sent
  }

  /** The place of the next record. Call it once for each, in their order. */
  readonly placeOf = (event: Event): Place => {
    const source = sourceOf(event)
    if (source === undefined) return { of: this.#origin, at: this.#numbered++, number: 0 }
    const number = this.#passed.get(source) ?? 0
    this.#passed.set(source, number + 1)
    return { of: source.of, at: source.at, number }
  }

  /**
   * The id of what begins at the place. It depends on the text too: where a repeated attempt makes another record of the
   * same source, this one must not pass for one that was sent.
   */
  of({ of, at, number }: Place, text: string): string {
    const { sha256, component } = this.#context
    const hash = sha256?.()
    if (hash === undefined) return crypto.randomUUID()
    hash.update(new TextEncoder().encode(JSON.stringify([of, at, number, component, text])))
    return hash.hex().slice(0, 32)
  }

  readonly position = (): unknown => ({ origin: this.#origin, sent: this.#numbered })
}
