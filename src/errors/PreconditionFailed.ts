import { Problem } from "./Problem.ts"

/** `If-Match` names another version than the current one (RFC 9110, section 13.1.1). */
export class PreconditionFailed extends Problem<PreconditionFailed>()("PreconditionFailed", {
  type: "/problems/precondition-failed",
  status: 412,
  title: "Precondition failed"
}) {}
