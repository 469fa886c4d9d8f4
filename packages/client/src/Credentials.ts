import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

/**
 * What proves to the gateway who sends a request: name and password of a user, an API key, or a token of an issuer. A
 * function or an effect is asked for the token of each request, so that it can renew tokens that expire.
 */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly apiKey: string }
  | { readonly token: string | (() => Promise<string>) | Effect.Effect<string, unknown> }

export interface ClientOptions {
  /** Sent with every request, those of event streams and uploads included. */
  readonly credentials?: Credentials | undefined
}

/** In UTF-8, as RFC 7617 wants it. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** The value of `Authorization`. A key is sent as a token: `fetch` takes that off where a redirection leads elsewhere. */
const authorization = (credentials: Credentials): Effect.Effect<string, unknown> => {
  if ("password" in credentials) {
    return Effect.succeed(`Basic ${base64(`${credentials.username}:${credentials.password}`)}`)
  }
  const token = "apiKey" in credentials ? credentials.apiKey : credentials.token
  const given =
    typeof token === "string"
      ? Effect.succeed(token)
      : typeof token === "function"
        ? Effect.tryPromise({ try: token, catch: (cause) => cause })
        : token
  return Effect.map(given, (text) => `Bearer ${text}`)
}

/** Adds the credentials to every request. A token that cannot be had fails the request, as a lost connection does. */
export const withCredentials =
  (credentials: Credentials | undefined) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    credentials === undefined
      ? client
      : HttpClient.mapRequestEffect(client, (request) =>
          Effect.mapBoth(authorization(credentials), {
            onFailure: (cause) =>
              new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) }),
            onSuccess: (value) => HttpClientRequest.setHeader(request, "authorization", value)
          })
        )
