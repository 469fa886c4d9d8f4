import type { SqlNode } from "../../services/flowlines/Outline.ts"
import { sqlFindings } from "./Statements.ts"

/** The nodes of a flowline with SQL, and the folder of its tenant's configuration. */
export interface SqlTask {
  readonly nodes: ReadonlyArray<SqlNode>
  readonly conf: string | undefined
}

// Entry of the process that reads the SQL of one flowline after the other, for as long as it is kept.
process.on("disconnect", () => process.exit())
process.on("message", async ({ nodes, conf }: SqlTask) => {
  process.send?.(await sqlFindings(nodes, conf))
})
