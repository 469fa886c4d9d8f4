import type { NodeContext } from "../../nodes/Node.ts"
import { type NodeCounter, type NodeCounters, replacedCounts } from "../../protocol/RunProtocol.ts"

/** What one node of a pipeline has counted. */
export class NodeCounts {
  recordsIn = 0
  recordsOut = 0
  total: number | undefined
  lag: number | undefined
  waiting = 0
  /** Undefined when `recordsOut` and `errors` say it already. */
  streams: Map<string, number> | undefined
  errors = 0
  lastError: string | undefined
  #replaced = 0
  readonly #counted: { [what in NodeCounter]?: number } = {}

  readonly counted: NonNullable<NodeContext["counted"]> = (what, count) => {
    this.#counted[what] = (this.#counted[what] ?? 0) + count
  }

  readonly replaced: NonNullable<NodeContext["replaced"]> = (bytes) => {
    this.#replaced += bytes
  }

  of(component: string): NodeCounters {
    return {
      component,
      recordsIn: this.recordsIn,
      recordsOut: this.recordsOut,
      ...(this.total === undefined ? {} : { total: this.total }),
      ...(this.lag === undefined ? {} : { lag: this.lag }),
      ...(this.waiting === 0 ? {} : { waiting: this.waiting }),
      ...(this.streams === undefined ? {} : { streams: Object.fromEntries(this.streams) }),
      errors: this.errors,
      ...this.#counted,
      ...(this.lastError === undefined ? {} : { lastError: this.lastError }),
      ...replacedCounts(this.#replaced)
    }
  }
}
