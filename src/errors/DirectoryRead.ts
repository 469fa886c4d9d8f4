import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** The path to read as a file is a folder. */
export class DirectoryRead extends HttpApiError.Problem<DirectoryRead>()(
  "DirectoryRead",
  { type: "/problems/directory-read", status: 400, title: "The path is a directory" },
  { tenant: Schema.String, path: Schema.String }
) {}
