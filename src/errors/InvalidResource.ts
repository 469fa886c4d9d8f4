import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/**
 * The request is well formed, but its statements about the resource are wrong or exceed a limit. Nothing was changed.
 */
export class InvalidResource extends Problem<InvalidResource>()(
  "InvalidResource",
  { type: "/problems/invalid-resource", status: 422, title: "The resource cannot be created as requested" },
  { tenant: Schema.String, name: Schema.String, limit: Schema.optionalKey(Schema.Int) }
) {}
