import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** Nothing can be stored under the path in the registry (the contract gives it 500). */
export class ResourceNotCreated extends Problem<ResourceNotCreated>()(
  "ResourceNotCreated",
  { type: "/problems/resource-not-created", status: 500, title: "The resource was not created" },
  { tenant: Schema.String, path: Schema.String }
) {}
