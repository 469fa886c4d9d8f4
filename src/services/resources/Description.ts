import {
  digested,
  downloaded,
  type Feature,
  keyed,
  listed,
  operation,
  revalidated
} from "../shared/openapi/OpenApiParts.ts"

const version = {
  schema: "1.0",
  "@timestamp": "2026-01-01T00:00:00.000Z",
  size: 12,
  name: "lists/blocked.csv",
  storage: { type: "external", url: "file:///var/lib/flow/blobs/mytenant/data/lists/blocked.csv" },
  version: 1,
  tenant: "mytenant"
}
const form = { destination: "lists/copy.csv" }
const registration = { url: "lists/blocked.csv", properties: '{"owner":"network"}' }

/** What OpenAPI says of stored resources. */
export const resources: Feature<"copy" | "move" | "register" | "list" | "metadata" | "remove" | "content" | "sweep"> = {
  description: "Named data with versions: copied, moved or registered",
  operations: {
    copy: operation("Without `version` all versions are copied. Bytes are not copied.", keyed(201), digested, {
      headers: ["If-Match"],
      body: form
    }),
    move: operation("Without `version` all versions are moved.", keyed(201), digested, {
      headers: ["If-Match"],
      body: { destination: "lists/moved.csv" }
    }),
    register: operation(
      "The file stays where it is, in the tenant's data area, and is copied from there when it is read. With " +
        "`If-None-Match: *` an existing version is a 412.",
      keyed(200),
      digested,
      { headers: ["If-Match", "If-None-Match"], body: registration }
    ),
    list: operation("Each in its latest version.", listed),
    metadata: operation("All versions, or with `version` that one.", revalidated),
    remove: operation("Without `version` all versions are deleted.", { headers: ["If-Match"] }),
    content: operation(
      "The bytes of a version, by default the latest, with the media type of its name.",
      downloaded(["*/*"], "application/octet-stream")
    ),
    sweep: operation("Blobs are shared by equal files, so a blob goes when the last version with its bytes has gone.")
  },
  schemas: {
    TransferForm: { description: "Where to copy or move a resource", example: form },
    RegisterForm: { description: "The file to register", example: registration },
    ResourceMetadata: { description: "A version of a stored resource", example: version },
    ResourceAnswer: {
      description: "Versions of a stored resource",
      example: { metadata: [version], name: "lists/blocked.csv", message: "Registered version 1", tenant: "mytenant" }
    },
    Swept: { description: "What a sweep has removed", example: { dryRun: true, bytes: 0, blobs: [] } }
  }
}
