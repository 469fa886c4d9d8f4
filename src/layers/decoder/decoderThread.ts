import { parentPort } from "node:worker_threads"
import { Result } from "effect"
import type { Issue } from "../../errors/BadRequest.ts"
import type { Position } from "../../languages/document/DocumentSource.ts"
import {
  type CheckedFlowline,
  check,
  conclude,
  type Definition,
  type ParsedDocument,
  parse,
  positionsIn,
  type SqlFindings,
  type Surroundings
} from "../../services/flowlines/Decoder.ts"
import type { FlowlineFile } from "../../services/flowlines/FlowlineFile.ts"
import type { FullVersion } from "../../services/flowlines/FlowlineStore.ts"
import type { FilledContent, ReferenceValues } from "../../services/flowlines/validation/FilledContent.ts"
import type { Finding } from "../../services/flowlines/validation/Finding.ts"
import type { Needs } from "../../services/flowlines/validation/Outline.ts"
import { compared } from "../../services/flowlines/versions/Comparison.ts"

/**
 * A task of the thread: to parse a file and keep its document, to find positions in a file, to validate the kept document,
 * to check a content, or to compare two versions.
 */
export type Task =
  | { readonly file: FlowlineFile; readonly values: ReferenceValues | undefined }
  | { readonly file: FlowlineFile; readonly pointers: ReadonlyArray<string> }
  | { readonly surroundings: Surroundings; readonly sql: SqlFindings }
  | { readonly filled: FilledContent; readonly surroundings: Surroundings; readonly sql: SqlFindings }
  | { readonly from: FullVersion; readonly to: FullVersion }

export type Answer =
  | { readonly needs: Needs }
  | { readonly positions: ReadonlyArray<Position> }
  | { readonly definition: Definition }
  | { readonly issues: ReadonlyArray<Issue> }
  | { readonly checked: CheckedFlowline }
  | { readonly findings: ReadonlyArray<Finding> }
  /** JSON of `FlowlineComparison`. */
  | { readonly comparison: string }

/** The document between parsing and validation. */
let kept: ParsedDocument | undefined

const answerTo = (task: Task): Answer | undefined => {
  if ("pointers" in task) {
    const found = positionsIn(task.file, task.pointers)
    return Result.isSuccess(found) ? { positions: found.success } : { issues: found.failure }
  }
  if ("file" in task) {
    const parsed = parse(task.file, task.values)
    kept = Result.getOrUndefined(parsed)
    return Result.isSuccess(parsed) ? { needs: parsed.success.needs } : { issues: parsed.failure }
  }
  if ("from" in task) return { comparison: JSON.stringify(compared(task.from, task.to)) }
  if ("filled" in task) {
    const checked = check(task.filled, task.surroundings, task.sql)
    return Result.isSuccess(checked) ? { checked: checked.success } : { findings: checked.failure }
  }
  const document = kept
  kept = undefined
  if (document === undefined) return undefined
  const concluded = conclude(document, check(document.filled, task.surroundings, task.sql), task.sql)
  return Result.isSuccess(concluded) ? { definition: concluded.success } : { issues: concluded.failure }
}

// Answers the tasks one after the other.
parentPort?.on("message", (task: Task) => parentPort?.postMessage(answerTo(task)))
