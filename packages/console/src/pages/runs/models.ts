import type { gateway } from "../../app/gateway.ts"

type Answer<Call extends (...call: never) => Promise<unknown>> = Awaited<ReturnType<Call>>

export type Execution = Answer<typeof gateway.executions.list>[number]
export type Detail = Answer<typeof gateway.executions.detail>
export type NodeCount = Detail["nodes"][number]
export type State = Execution["state"]
export type ArchiveEntry = Answer<typeof gateway.archives.list>[number]
export type FileEntry = Answer<typeof gateway.files.list>[number]

export const states = ["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "LOST"] as const
export const outcomes = ["ok", "warnings", "nothing"] as const

export const hasEnded = (state: State): boolean => state !== "PENDING" && state !== "RUNNING"

const tones = {
  PENDING: "plain",
  RUNNING: "busy",
  SUCCEEDED: "good",
  FAILED: "bad",
  CANCELLED: "plain",
  LOST: "bad"
} as const

/** The colour of a run's state and outcome. */
export const toneOf = ({ state, outcome }: Pick<Execution, "state" | "outcome">) =>
  state === "SUCCEEDED" && outcome !== undefined && outcome !== "ok" ? "warn" : tones[state]
