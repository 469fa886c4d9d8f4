import type { Database } from "../../drivers/duckdb/Database.ts"
import type { TrialCase } from "../../protocol/Trial.ts"
import type { TrialRecorder } from "../TrialRecorder.ts"
import type { Files } from "./Files.ts"
import type { Graph } from "./Plan.ts"
import type { Scratch } from "./Scratch.ts"

/** A trial: its inputs give samples, its outputs only count, and the first records of every relation are kept. */
export interface Watch {
  readonly trial: TrialCase
  readonly recorder: TrialRecorder
}

/** The state that the steps of a run share. */
export interface Work {
  readonly graph: Graph
  readonly database: Database
  readonly scratch: Scratch
  readonly files: Files
  readonly signal: AbortSignal
  readonly watch?: Watch | undefined
}
