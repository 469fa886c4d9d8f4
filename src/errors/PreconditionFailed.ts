import { HttpApiError } from "effect/http-api"

/** `If-Match` names another version than the current one (RFC 9110, section 13.1.1). */
export class PreconditionFailed extends HttpApiError.Problem<PreconditionFailed>()("PreconditionFailed", {
  type: "/problems/precondition-failed",
  status: 412,
  title: "Precondition failed"
}) {}
