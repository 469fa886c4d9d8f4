import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../../../src/Api.ts"
import { type ClientOptions, withCredentials } from "./Credentials.ts"
import { type Endpoints, withVersions } from "./Endpoints.ts"
import { fetchClient, type OnSent, Progress, RequestHeaders } from "./Fetch.ts"
import { type Follow, follow } from "./Follow.ts"
import { foreignAnswer, isForeign } from "./Foreign.ts"

export type { ClientOptions, Credentials } from "./Credentials.ts"
export type { Endpoints, Versioned } from "./Endpoints.ts"
export { fetchClient, RequestHeaders } from "./Fetch.ts"
export type { End, ExecutionFeed, Feed, Line } from "./Follow.ts"
export { type Content, form, type Part } from "./Form.ts"

/** The typed client: the endpoints, and streams of the output and events that some of them report. */
export type FlowGateway = Endpoints & { readonly follow: Follow }

/** Fails if a proxy has answered with a page of its own, which would count as an empty answer or as bytes. */
const ownAnswers = (
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<void, HttpClientError.HttpClientError> => {
  const { request, status, headers } = response
  return status < 300 && isForeign({ get: (name) => headers[name] })
    ? Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({ request, response, description: foreignAnswer })
        })
      )
    : Effect.void
}

/** Creates a client on the given `HttpClient`, which may have its own timeouts, retries or headers. */
export const make = (
  baseUrl: string,
  { credentials }: ClientOptions = {}
): Effect.Effect<FlowGateway, never, HttpClient.HttpClient> =>
  Effect.map(
    HttpApiClient.make(Api, {
      transformClient: (client) =>
        client.pipe(
          HttpClient.mapRequest(HttpClientRequest.prependUrl(baseUrl)),
          withCredentials(credentials),
          HttpClient.mapRequestEffect((request) =>
            Effect.map(RequestHeaders, (headers) => HttpClientRequest.setHeaders(request, headers))
          ),
          HttpClient.tap(ownAnswers)
        )
    }),
    (derived) => {
      const endpoints = withVersions(derived)
      return { ...endpoints, follow: follow(endpoints) }
    }
  )

/** Creates a client of the gateway at `baseUrl`, such as `http://127.0.0.1:4242`, on the platform's `fetch`. */
export const FlowGateway = (baseUrl: string, options: ClientOptions = {}): Effect.Effect<FlowGateway> =>
  Effect.provideService(make(baseUrl, options), HttpClient.HttpClient, fetchClient)

/** Calls back with the number of bytes of the body that were sent so far, while a request sends its form. */
export const withProgress =
  (onSent: OnSent) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(call, Progress, onSent)

/** Sends further headers with a request, such as `If-Match` and `Idempotency-Key`. */
export const withHeaders =
  (headers: Readonly<Record<string, string>>) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(call, RequestHeaders, headers)
