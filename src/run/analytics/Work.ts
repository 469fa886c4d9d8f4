import type { Database } from "../../drivers/duckdb/Database.ts"
import type { Files } from "./Files.ts"
import type { Graph } from "./Plan.ts"
import type { Scratch } from "./Scratch.ts"

/** The state that the steps of a run share. */
export interface Work {
  readonly graph: Graph
  readonly database: Database
  readonly scratch: Scratch
  readonly files: Files
  readonly signal: AbortSignal
}
