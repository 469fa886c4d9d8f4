import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** A version that the request would create already exists with different content. Nothing was changed. */
export class VersionConflict extends Problem<VersionConflict>()(
  "VersionConflict",
  { type: "/problems/version-conflict", status: 422, title: "The version already exists" },
  { tenant: Schema.String, name: Schema.String, versions: Schema.Array(Schema.Union([Schema.String, Schema.Int])) }
) {}
