import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import { decode } from "../../services/flowlines/Definition.ts"
import type { Finding } from "../../services/flowlines/Validation.ts"

/** A file, and what is known to be wrong with it. */
export interface Task {
  readonly file: FlowlineFile
  readonly more: ReadonlyArray<Finding>
}

// Decodes one file after the other, for as long as it is kept.
parentPort?.on("message", ({ file, more }: Task) => {
  parentPort?.postMessage(
    Result.match(decode(file, more), {
      onSuccess: (definition) => ({ definition }),
      onFailure: (issues) => ({ issues })
    })
  )
})
