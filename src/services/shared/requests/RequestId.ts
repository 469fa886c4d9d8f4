import { Context } from "effect"

/**
 * The id of the current request: the `X-Request-Id` that it came with, or one that the gateway has made. Every answer
 * returns it. Clients may repeat an id, so it names a request only as well as its client does. Empty outside of requests.
 */
export const CurrentRequestId = Context.Reference<string>("flow/shared/CurrentRequestId", { defaultValue: () => "" })
