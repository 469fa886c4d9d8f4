import { Effect, type Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./Api.ts"

/** The typed client: a method for every endpoint, by group, with the problems that it can fail with. */
export type FlowGateway = HttpApiClient.ForApi<typeof Api>

/** Creates a client on the given `HttpClient`, which may have its own timeouts, retries or headers. */
export const make = (baseUrl: string): Effect.Effect<FlowGateway, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(baseUrl))
  })

const fetchClient: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer

/** Creates a client of the gateway at `baseUrl`, such as `http://127.0.0.1:4242`, on the platform's `fetch`. */
export const FlowGateway = (baseUrl: string): Effect.Effect<FlowGateway> => Effect.provide(make(baseUrl), fetchClient)
