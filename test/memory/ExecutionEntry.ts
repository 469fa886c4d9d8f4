import type { Outcome } from "../../src/nodes/Outcome.ts"
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

export const iso = (millis: number): string => new Date(millis).toISOString()
export const isoOrNull = (millis: number | undefined) => (millis === undefined ? null : iso(millis))

export const summaryOf = (entry: Entry, now: number) => {
  const last = entry.events.at(-1)
  return {
    id: entry.id,
    ...(entry.jobId === undefined ? {} : { jobId: entry.jobId }),
    timestamp: iso(last?.at ?? entry.createdAt),
    duration: entry.startedAt === undefined ? 0 : Math.max(0, (entry.endedAt ?? now) - entry.startedAt),
    tenant: entry.tenant,
    ...(last === undefined ? {} : { event: last.event }),
    flowlineId: entry.flowlineId,
    state: entry.state,
    createdAt: iso(entry.createdAt),
    ...outcomeOf(entry)
  }
}

export const outcomeOf = ({ done, state }: Entry): Partial<Outcome> => {
  if (done === undefined) return {}
  const { outcome, counts, reasons } = done
  return state === "SUCCEEDED" ? { outcome, counts, ...(reasons.length === 0 ? {} : { reasons }) } : { counts }
}

export const parametersOf = ({ kept }: Entry) =>
  kept === undefined || Buffer.byteLength(JSON.stringify(kept.parameters)) > 2048 ? {} : { parameters: kept.parameters }
