import type { SqlNode } from "../../services/flowlines/validation/Outline.ts"
import { sqlFindings } from "./Statements.ts"

/** The nodes of a flowline with SQL, and the tenant's configuration folder. */
export interface SqlTask {
  readonly nodes: ReadonlyArray<SqlNode>
  readonly conf: string | undefined
}

// As in src/main.ts: service managers send these to all processes.
for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => {})

// Entry of the process that checks SQL, one flowline after the other. It ends when the gateway disconnects.
process.on("disconnect", () => process.exit())
process.on("message", async ({ nodes, conf }: SqlTask) => {
  process.send?.(await sqlFindings(nodes, conf))
})
