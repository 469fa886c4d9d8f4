import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import { sqlFindings } from "./Statements.ts"

// Entry of the process that reads the SQL of one file after the other, for as long as it is kept.
process.on("disconnect", () => process.exit())
process.on("message", async (file: FlowlineFile) => {
  process.send?.(await sqlFindings(file))
})
