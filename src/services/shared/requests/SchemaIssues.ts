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

/** Maximum number of issues: more would be repetitive, and the names of a body of 1 MiB would make an answer of 7 MiB. */
const maxIssues = 200

/** The issues of a failed decoding, one for each faulty value. `part` names the part of the request. */
export const issuesOf = (error: Schema.SchemaError, part: string): ReadonlyArray<Issue> => {
  const issues = new Map<string, Issue>()
  const faults = schemaFaults(error.issue, maxIssues + 1)
  for (const { path, detail } of faults.slice(0, maxIssues)) {
    const pointer = pointerOf(path)
    if (!issues.has(pointer)) issues.set(pointer, { part, pointer, detail: toldTo(part, detail) })
  }
  return faults.length > maxIssues
    ? [...issues.values(), { part, detail: "There are more issues" }]
    : [...issues.values()]
}
