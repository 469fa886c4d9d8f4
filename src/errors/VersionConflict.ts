import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** A version that is to be made exists already with another content. Nothing was changed. */
export class VersionConflict extends HttpApiError.Problem<VersionConflict>()(
  "VersionConflict",
  { type: "/problems/version-conflict", status: 422, title: "The version exists already" },
  { tenant: Schema.String, name: Schema.String, versions: Schema.Array(Schema.Union([Schema.String, Schema.Int])) }
) {}
