import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import { decode } from "../../services/flowlines/Definition.ts"

// Decodes one file after the other, for as long as it is kept.
parentPort?.on("message", (file: FlowlineFile) => {
  parentPort?.postMessage(
    Result.match(decode(file), {
      onSuccess: (definition) => ({ definition }),
      onFailure: (issues) => ({ issues })
    })
  )
})
