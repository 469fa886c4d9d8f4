import {
  conditional,
  digested,
  downloaded,
  type Feature,
  keyed,
  listed,
  operation
} from "../shared/openapi/OpenApiParts.ts"

const form = { file: "203.0.113.9\n", path: "lists/blocked.csv" }
const timestamp = "2026-01-01T00:00:00.000Z"
const location = "file:///var/lib/flow/blobs/mytenant/blobs/58/5891b5b5"

/** What OpenAPI says of the registry. */
export const registry: Feature<"list" | "create" | "download" | "metadata" | "remove"> = {
  description: "A tree of paths with versioned files",
  operations: {
    list: operation("Each path in its latest version.", listed),
    create: operation(
      "The next version of the path. `If-None-Match: *` creates a path only, `If-Match` replaces only the version with " +
        "that `ETag` (412). A path at which nothing can be stored is a 500.",
      keyed(200, "Flow-Version"),
      digested,
      { headers: ["If-Match", "If-None-Match"], body: form }
    ),
    download: operation(
      "The bytes of a version, by default the latest, with the media type of its path.",
      downloaded(["*/*"], "application/octet-stream")
    ),
    metadata: operation("Where and when the version was stored.", {
      headers: ["If-Match"],
      answers: { 200: { headers: ["ETag"] } }
    }),
    remove: operation(
      "Without `version` all versions are deleted; conditions are compared with the latest one then.",
      conditional
    )
  },
  schemas: {
    RegistryForm: { description: "A file and its path", example: form },
    RegistryEntry: {
      description: "A path in its latest version",
      example: { name: "lists/blocked.csv", location, updateTime: timestamp, creationTime: timestamp, version: 1 }
    },
    RegistryDetails: {
      description: "A version of a path",
      example: {
        name: "lists/blocked.csv",
        location,
        resource: "/v1/mytenant/registry/download/lists/blocked.csv?version=1",
        timestamp,
        size: 12,
        version: 1,
        sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
      }
    }
  }
}
