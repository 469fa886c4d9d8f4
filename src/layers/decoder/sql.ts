import type { SqlTask } from "./SqlProcess.ts"
import { sqlFindings } from "./Statements.ts"

// Entry of the process that reads the SQL of one file after the other, for as long as it is kept.
process.on("disconnect", () => process.exit())
process.on("message", async ({ file, confRoot }: SqlTask) => {
  process.send?.(await sqlFindings(file, confRoot))
})
