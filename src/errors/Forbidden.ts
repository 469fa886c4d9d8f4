import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The principal may see the tenant, but has not the role that the endpoint needs. */
export class Forbidden extends Problem<Forbidden>()(
  "Forbidden",
  { type: "/problems/forbidden", status: 403, title: "Not allowed" },
  { role: Schema.String.annotate({ description: "The role that the endpoint needs" }) }
) {}
