import type { Schema } from "effect"
import type { Issue } from "../../../errors/BadRequest.ts"
import { pointerOf } from "../../../languages/document/Pointer.ts"
import { schemaFaults } from "../../../languages/SchemaFaults.ts"

/** What a schema finds, in the words of a request's author, who does not know the names of schemas. */
const toldTo = (part: string, detail: string): string => {
  // Every parameter of a query is a text, or a list of texts if it was sent several times.
  if (part === "query" && detail === "Expected string") return "The parameter was sent more than once"
  return detail.replace(/^Expected [A-Z]\w*Request$/, "Expected object")
}

/** The issues of a failed decoding, one for each faulty value. `part` names the part of the request. */
export const issuesOf = (error: Schema.SchemaError, part: string): ReadonlyArray<Issue> => {
  const issues = new Map<string, Issue>()
  for (const { path, detail } of schemaFaults(error.issue)) {
    const pointer = pointerOf(path)
    if (!issues.has(pointer)) issues.set(pointer, { part, pointer, detail: toldTo(part, detail) })
  }
  return [...issues.values()]
}
