import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The gateway may not write to the tenant's configuration. `detail` says why, and who may. */
export class ReadOnlyConfiguration extends Problem<ReadOnlyConfiguration>()(
  "ReadOnlyConfiguration",
  { type: "/problems/read-only-configuration", status: 403, title: "The configuration is read-only" },
  { tenant: Schema.String }
) {}
