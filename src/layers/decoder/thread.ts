import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import { decodeWithSql } from "./Statements.ts"

// Decodes one file after the other, for as long as it is kept.
parentPort?.on("message", async (file: FlowlineFile) => {
  parentPort?.postMessage(
    Result.match(await decodeWithSql(file), {
      onSuccess: (definition) => ({ definition }),
      onFailure: (issues) => ({ issues })
    })
  )
})
