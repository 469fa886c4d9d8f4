import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** A storage did not answer in time. `data` stores bytes (blobs, files), `metadata` stores rows (PostgreSQL). */
export class StorageUnreachable extends HttpApiError.Problem<StorageUnreachable>()(
  "StorageUnreachable",
  { type: "/problems/storage-unreachable", status: 504, title: "A storage cannot be reached" },
  { storage: Schema.Literals(["data", "metadata"]) }
) {}
