import type { Schema } from "effect"
import type { Issue } from "../../../errors/BadRequest.ts"
import { pointerOf } from "../../../languages/document/Pointer.ts"
import { schemaFaults } from "../../../languages/SchemaFaults.ts"

/** The issues of a failed decoding, one for each faulty value. `part` names the part of the request. */
export const issuesOf = (error: Schema.SchemaError, part: string): ReadonlyArray<Issue> => {
  const issues = new Map<string, Issue>()
  for (const { path, detail } of schemaFaults(error.issue)) {
    const pointer = pointerOf(path)
    if (!issues.has(pointer)) issues.set(pointer, { part, pointer, detail })
  }
  return [...issues.values()]
}
