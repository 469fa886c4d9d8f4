import { Effect, Layer, type Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import { schemaFaults } from "../../languages/SchemaFaults.ts"
import { unknownName } from "../../languages/Suggest.ts"
import { RequestProblems } from "./RequestProblems.ts"
import { KnownTenant } from "./Tenant.ts"

/** The issues of a failed decoding, one for each faulty value. `part` names the part of the request. */
export const issuesOf = (error: Schema.SchemaError, part: string): ReadonlyArray<Issue> => {
  const issues = new Map<string, Issue>()
  for (const { path, detail } of schemaFaults(error.issue)) {
    const pointer = pointerOf(path)
    if (!issues.has(pointer)) issues.set(pointer, { part, pointer, detail })
  }
  return [...issues.values()]
}

const parts: Record<string, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

const invalid = (issues: ReadonlyArray<Issue>) =>
  Effect.fail(new BadRequest({ detail: "The request is invalid", issues }))

/**
 * Refuses parameters of a request whose endpoint has none: Effect decodes only queries that are declared. Below
 * `/v1/{tenant}`, {@link KnownTenant} calls it, so that whoever asks for an unknown tenant learns nothing else.
 */
export const withoutQuery = <E, R>(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<HttpServerResponse.HttpServerResponse, E | BadRequest, R | HttpServerRequest.ParsedSearchParams> => {
  if (endpoint.query !== undefined) return httpEffect
  return Effect.flatMap(
    HttpServerRequest.ParsedSearchParams,
    (query): Effect.Effect<HttpServerResponse.HttpServerResponse, E | BadRequest, R> => {
      const names = Object.keys(query)
      if (names.length === 0) return httpEffect
      return invalid(
        names.map((name) => ({ part: "query", pointer: pointerOf([name]), detail: unknownName(name, []) }))
      )
    }
  )
}

/** Failures to encode a response stay defects: the fault is the server's, not the client's. */
export const layer: Layer.Layer<RequestProblems> = Layer.succeed(RequestProblems, (httpEffect, { endpoint }) =>
  Effect.catch(endpoint.middlewares.has(KnownTenant) ? httpEffect : withoutQuery(httpEffect, endpoint), (error) => {
    if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
    const part = parts[error.kind]
    return part === undefined ? Effect.fail(error) : invalid(issuesOf(error.cause, part))
  })
)
