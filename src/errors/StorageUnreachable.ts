import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** A storage did not answer in time. `data` stores bytes (blobs, files), `metadata` stores rows (PostgreSQL). */
export class StorageUnreachable extends Problem<StorageUnreachable>()(
  "StorageUnreachable",
  { type: "/problems/storage-unreachable", status: 504, title: "A storage cannot be reached" },
  { storage: Schema.Literals(["data", "metadata"]) }
) {}
