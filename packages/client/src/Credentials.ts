import { Effect } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

/**
 * Proves to the gateway who sends a request: name and password of a user, an API key, or a token of an issuer. A token
 * may be given as a function or an effect, which is called for each request so that it can renew an expiring token.
 */
export type Credentials =
  | { readonly username: string; readonly password: string }
  | { readonly apiKey: string }
  | { readonly token: string | (() => Promise<string>) | Effect.Effect<string, unknown> }

export interface ClientOptions {
  /** Sent with every request, including event streams and uploads. */
  readonly credentials?: Credentials | undefined
}

/** In UTF-8, as RFC 7617 requires. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/**
 * The value of `Authorization`. A key is sent as a bearer token, because `fetch` removes that header when a redirection
 * leads to another origin.
 */
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

/** Adds the credentials to every request. If no token can be obtained, the request fails as with a lost connection. */
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
