import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { BadRequest, type Issue } from "../../../errors/BadRequest.ts"

/**
 * Renders a request that does not decode as a problem with one issue per fault, all at once. Its layer stands in
 * `layers/http/guards/RequestDecoding.ts`, which clients need not load.
 */
export class RequestProblems extends HttpApiMiddleware.Service<RequestProblems>()("flow/shared/RequestProblems", {
  error: BadRequest
}) {}

/** Faults that were found before the body of a request is read. The body's reader reports them together with its own. */
export const EarlierFaults = Context.Reference<ReadonlyArray<Issue>>("flow/shared/EarlierFaults", {
  defaultValue: () => []
})

/**
 * How a query and a body are decoded: all faults are told, and what is not declared is a fault. Headers are not decoded
 * so, because clients and proxies send many.
 */
export const strict = { errors: "all", onExcessProperty: "error" } as const
