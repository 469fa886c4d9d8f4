import { Data } from "effect"

/** A node failed, and with it the run. `message` is for the user; `cause` is the original error. */
export class NodeFailure extends Data.TaggedError("NodeFailure")<{
  readonly component: string
  readonly detail: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.component}: ${this.detail}`
  }
}
