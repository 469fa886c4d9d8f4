import { type Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/**
 * The IP address of the client of a request: of the peer of its connection, or, behind a trusted proxy, the one that the
 * proxy names. Empty when the connection is gone.
 */
export const clientAddressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  Option.getOrElse(remoteAddress, () => "")

/** The IP address of the client of the current request, see {@link clientAddressOf}. */
export const clientAddress: Effect.Effect<string, never, HttpServerRequest.HttpServerRequest> =
  HttpServerRequest.HttpServerRequest.useSync(clientAddressOf)
