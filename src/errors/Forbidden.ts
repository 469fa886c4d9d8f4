import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The principal may see the tenant, but has not the role that the endpoint needs. */
export class Forbidden extends HttpApiError.Problem<Forbidden>()(
  "Forbidden",
  { type: "/problems/forbidden", status: 403, title: "Not allowed" },
  { role: Schema.String.annotate({ description: "The role that the endpoint needs" }) }
) {}
