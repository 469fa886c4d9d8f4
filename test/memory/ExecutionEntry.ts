import type { Outcome } from "../../src/nodes/flowline/Outcome.ts"
import type { NodeCounters } from "../../src/protocol/RunProtocol.ts"
import type { ExecutionId, ExecutionState } from "../../src/services/executions/Execution.ts"
import type { NewExecution } from "../../src/services/executions/ExecutionStore.ts"
import type { PrintedLine } from "../../src/services/runs/Attempt.ts"

export interface Event {
  readonly seq: number
  readonly event: string
  readonly at: number
  readonly detail?: string
  readonly outcome?: Outcome["outcome"]
}

export interface Entry extends NewExecution {
  readonly id: ExecutionId
  readonly ordinal: number
  readonly createdAt: number
  state: ExecutionState
  owner: string | undefined
  epoch: number
  attempts: number
  cancelled: boolean
  truncated: boolean
  jobId?: string
  startedAt?: number
  endedAt?: number
  error?: string
  done?: Outcome | undefined
  nodes: ReadonlyArray<NodeCounters>
  readonly events: Array<Event>
  readonly lines: Array<PrintedLine>
}
