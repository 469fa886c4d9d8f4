import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"

/**
 * Renders a request that does not decode as a problem with one issue per fault, all at once. Its layer stands in
 * `RequestIssues.ts`, which clients need not load.
 */
export class RequestProblems extends HttpApiMiddleware.Service<RequestProblems>()("flow/shared/RequestProblems", {
  error: BadRequest
}) {}
