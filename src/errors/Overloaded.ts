import { HttpApiError } from "effect/http-api"

/** As many requests of this kind are at work as the gateway takes. The same request can be sent again later. */
export class Overloaded extends HttpApiError.Problem<Overloaded>()("Overloaded", {
  type: "/problems/unavailable",
  status: 503,
  title: "The gateway is shutting down or overloaded"
}) {}
