import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The path is known, the method is not; `allow` lists those that are, as the `Allow` header does. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  { type: "/problems/method-not-allowed", status: 405, title: "Method not allowed" },
  { allow: Schema.Array(Schema.String) }
) {}
