import * as Predicate from "effect/Predicate"
import { type Emit, type Event, errors, type NodeContext } from "./Node.ts"

/** Collects the failed records of a batch, which are sent together. */
export class Failures {
  readonly #node: string
  #events: Array<Event> = []

  constructor(context: NodeContext) {
    this.#node = context.component
  }

  /** Adds the event with `error: {node, reason}`. */
  add(event: Event, reason: string): void {
    this.#events.push({ ...event, error: { node: this.#node, reason } })
  }

  send(emit: Emit): void | Promise<void> {
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    return emit(errors, events)
  }
}

/** The reason that {@link Failures.add} gave to an event. */
export const reasonOf = (event: Event | undefined): string => {
  const error = event?.["error"]
  return Predicate.hasProperty(error, "reason") && typeof error.reason === "string" ? error.reason : "failed"
}
