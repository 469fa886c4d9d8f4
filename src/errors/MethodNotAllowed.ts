import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The path exists, but not with this method. `allow` lists the methods that it has, as the `Allow` header does. */
export class MethodNotAllowed extends Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  { type: "/problems/method-not-allowed", status: 405, title: "Method not allowed" },
  { allow: Schema.Array(Schema.String) }
) {}
