import * as Predicate from "effect/Predicate"
import type { Explanation } from "../../languages/Explanation.ts"
import { type Emit, type Event, errors, type NodeContext } from "../Node.ts"

/** Maximum number of records of a batch whose failure is explained, because explaining takes longer than parsing. */
const maxExplained = 100

/** Maximum lengths of the texts of an explanation: a pattern may be long. */
const maxFailedAt = 250
const maxDetail = 1000

/** Collects the failed records of a batch, which are sent together. */
export class Failures {
  readonly #node: string
  readonly #isPublished: () => boolean
  #events: Array<Event> = []
  #explained = 0

  constructor(context: NodeContext) {
    this.#node = context.component
    this.#isPublished = context.publishesErrors ?? (() => true)
  }

  /**
   * Adds the event with `error: {node, reason}`, and with `explanation` for the first ones of a batch, if anybody
   * receives them.
   */
  add(event: Event, reason: string, explain?: () => Explanation | undefined): void {
    const error = { node: this.#node, reason }
    const explanation = explain && this.#explained < maxExplained && this.#isPublished() ? told(explain()) : undefined
    if (explanation !== undefined) this.#explained++
    this.#events.push({ ...event, error: explanation === undefined ? error : { ...error, explanation } })
  }

  send(emit: Emit): void | Promise<void> {
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    this.#explained = 0
    return emit(errors, events)
  }
}

const told = (explanation: Explanation | undefined) => {
  if (explanation?.failure === undefined) return undefined
  const { matchedUpTo, failedAt, detail } = explanation.failure
  return {
    pattern: explanation.pattern,
    matchedUpTo,
    failedAt: failedAt.slice(0, maxFailedAt),
    detail: detail.slice(0, maxDetail)
  }
}

/** The reason that {@link Failures.add} gave to an event. */
export const reasonOf = (event: Event | undefined): string => {
  const error = event?.["error"]
  return Predicate.hasProperty(error, "reason") && typeof error.reason === "string" ? error.reason : "failed"
}
