import { Effect, Layer, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { BadRequest, type Issue } from "../../../errors/BadRequest.ts"
import { pointerOf } from "../../../languages/document/Pointer.ts"
import { unknownName } from "../../../languages/Suggest.ts"
import { EarlierFaults, RequestProblems, strict } from "../../../services/shared/requests/RequestProblems.ts"
import { issuesOf } from "../../../services/shared/requests/SchemaIssues.ts"
import { KnownTenant } from "../../../services/shared/Tenant.ts"

const parts: Record<string, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

const invalid = (issues: ReadonlyArray<Issue>) =>
  Effect.fail(new BadRequest({ detail: "The request is invalid", issues }))

/** The faults of a part of the request that Effect does not come to, because it stops at the first part with faults. */
const faultsOf = (schema: Schema.Top, value: unknown, part: string): ReadonlyArray<Issue> => {
  // No path and no query of the API needs a service to be decoded.
  const decode = Schema.decodeUnknownResult(schema as Schema.Decoder<unknown>, strict)
  return Result.match(decode(value), { onSuccess: () => [], onFailure: (error) => issuesOf(error, part) })
}

const unknownNames = (query: object): ReadonlyArray<Issue> =>
  Object.keys(query).map((name) => ({ part: "query", pointer: pointerOf([name]), detail: unknownName(name, []) }))

const queryFaultsOf = ({ query }: HttpApiEndpoint.Top, given: object): ReadonlyArray<Issue> =>
  query === undefined ? unknownNames(given) : faultsOf(Schema.toCodecArrayFromSingle(query), given, "query")

const readBodies = new Set(["application/json", "multipart/form-data"])

/** Whether the handler begins by reading a form or JSON, and refuses the request if there are earlier faults. */
const readsBody = ({ payload }: HttpApiEndpoint.Top): boolean =>
  payload.size > 0 && [...payload.keys()].every((type) => readBodies.has(type))

/** Lets the body's reader report the faults of the query together with its own. */
const toldByReader = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  faults: ReadonlyArray<Issue>
) =>
  httpEffect.pipe(
    Effect.provideService(EarlierFaults, faults),
    // Effect would stop at the query.
    Effect.provideService(HttpServerRequest.ParsedSearchParams, {})
  )

/**
 * Refuses parameters of a request whose endpoint has none: Effect decodes only queries that are declared. If the request
 * has a form or JSON, the body's reader reports the faults of the query, so that the answer has all faults. Below `/v1/{tenant}`,
 * {@link KnownTenant} calls it, so that the answer for an unknown tenant reveals nothing else.
 */
export const withoutFaultyQuery = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | BadRequest,
  R | HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
> => {
  const { query, params, payload } = endpoint
  if (query !== undefined && payload.size === 0) return httpEffect
  return Effect.flatMap(
    Effect.all([HttpServerRequest.HttpServerRequest, HttpServerRequest.ParsedSearchParams]),
    ([request, given]): Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E | BadRequest,
      R | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
    > => {
      // A client that waits for 100 Continue is refused before it sends the body.
      const isLeft = readsBody(endpoint) && request.headers["expect"] === undefined
      if (query !== undefined && !isLeft) return httpEffect
      const faults = queryFaultsOf(endpoint, given)
      if (faults.length === 0) return httpEffect
      if (isLeft) return toldByReader(httpEffect, faults)
      return Effect.flatMap(HttpRouter.RouteContext, (route) =>
        invalid([...(params === undefined ? [] : faultsOf(params, route.params, "path")), ...faults])
      )
    }
  )
}

/** Failures to encode a response stay defects: the fault is the server's, not the client's. */
export const layer: Layer.Layer<RequestProblems> = Layer.succeed(RequestProblems, (httpEffect, { endpoint }) =>
  Effect.catch(
    endpoint.middlewares.has(KnownTenant) ? httpEffect : withoutFaultyQuery(httpEffect, endpoint),
    (error) => {
      if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
      const part = parts[error.kind]
      if (part === undefined) return Effect.fail(error)
      const issues = issuesOf(error.cause, part)
      if (error.kind !== "Params") return invalid(issues)
      return Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) =>
        invalid([...issues, ...queryFaultsOf(endpoint, given)])
      )
    }
  )
)
