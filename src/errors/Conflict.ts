import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The current state does not allow the request, such as cancelling an execution that has ended. */
export class Conflict extends Problem<Conflict>()(
  "Conflict",
  { type: "/problems/conflict", status: 409, title: "Conflict" },
  { state: Schema.optionalKey(Schema.String) }
) {}
