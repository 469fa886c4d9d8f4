import { Effect, JsonPointer, type Layer, type Schema, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { RequestProblems } from "./RequestProblems.ts"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

const pointer = (path: ReadonlyArray<string>): string =>
  path.map((part) => `/${JsonPointer.escapeToken(part)}`).join("")

/** The issues of a failed decoding, one for each faulty value. `part` names the part of the request. */
export const issuesOf = (error: Schema.SchemaError, part: string): ReadonlyArray<Issue> => {
  const issues = new Map<string, Issue>()
  for (const { message, path } of formatIssues(error.issue).issues) {
    const at = pointer((path ?? []).map(segment))
    if (!issues.has(at)) issues.set(at, { part, pointer: at, detail: message })
  }
  return [...issues.values()]
}

const parts: Record<string, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

/** Failures to encode a response stay defects: the fault is the server's, not the client's. */
export const layer: Layer.Layer<RequestProblems> = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestProblems,
  (error) => {
    const part = parts[error.kind]
    return part === undefined
      ? Effect.fail(error)
      : Effect.fail(new BadRequest({ detail: "The request is invalid", issues: issuesOf(error.cause, part) }))
  }
)
