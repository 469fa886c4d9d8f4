import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The path to read as a file is a folder. */
export class DirectoryRead extends Problem<DirectoryRead>()(
  "DirectoryRead",
  { type: "/problems/directory-read", status: 400, title: "The path is a directory" },
  { tenant: Schema.String, path: Schema.String }
) {}
