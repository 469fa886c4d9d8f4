import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/**
 * One fault of a request. `pointer` is a JSON pointer (RFC 6901) into the body or the named `part` of a form;
 * `line` and `column` count from 1.
 */
export const Issue = Schema.Struct({
  part: Schema.optionalKey(Schema.String),
  pointer: Schema.optionalKey(Schema.String),
  detail: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "Issue" })
export type Issue = typeof Issue.Type

/** The request is malformed. `issues` holds all faults at once, one issue per fault. */
export class BadRequest extends Problem<BadRequest>()(
  "BadRequest",
  { type: "/problems/bad-request", status: 400, title: "Bad request" },
  { issues: Schema.optionalKey(Schema.Array(Issue)) }
) {}

/** The error for a body that cannot be read as a whole. */
export const invalidBody = (detail: string, position: Pick<Issue, "line" | "column"> = {}): BadRequest =>
  new BadRequest({ detail: "The body is invalid", issues: [{ part: "body", pointer: "", detail, ...position }] })
