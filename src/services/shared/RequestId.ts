import { Context } from "effect"

/** The id of the current request, as in the header `X-Request-Id`; empty for the gateway's own work. */
export const CurrentRequestId = Context.Reference<string>("flow/shared/CurrentRequestId", { defaultValue: () => "" })
