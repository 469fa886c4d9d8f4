import {
  digested,
  downloaded,
  type Feature,
  keyed,
  listed,
  operation,
  revalidated
} from "../shared/openapi/OpenApiParts.ts"

const form = {
  input: "hello\n",
  manifest: "group: org.example\nartifact: tool\nversion: 1.0.0\ntype: FILE\ndescription: A friendly text\n"
}

/** What OpenAPI says of artifacts. */
export const artifacts: Feature<"list" | "upload" | "metadata" | "download" | "remove" | "types"> = {
  description: "Uploaded builds with a manifest: group, artifact, version",
  operations: {
    list: operation("The latest version of each artifact, or with `all` all of them.", listed),
    upload: operation(
      "The manifest says what the build is. The same build with the same manifest may be uploaded again; anything else " +
        "under an existing version is a 422. With `If-None-Match: *` an existing version is a 412.",
      keyed(201),
      digested,
      { headers: ["If-Match", "If-None-Match"], body: form }
    ),
    metadata: operation("What the manifest says, and where and when the build was stored.", revalidated),
    download: operation(
      "The bytes of the build, with the media type of its file name.",
      downloaded(["*/*"], "application/octet-stream")
    ),
    remove: operation("Deletes all of the named versions, or none when one of them does not exist.", {
      headers: ["If-Match"]
    }),
    types: operation("The values of `type`.", revalidated)
  },
  schemas: {
    UploadForm: { description: "A build and its manifest", example: form },
    ArtifactType: { description: "What an artifact is", example: "FILE" },
    Artifact: {
      description: "A version of an artifact",
      example: {
        group: "org.example",
        artifact: "tool",
        version: "1.0.0",
        type: "FILE",
        createdAt: "2026-01-01T00:00:00.000Z",
        file: "tool.txt",
        size: 6,
        sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        storage: { backend: "disk", url: "file:///var/lib/flow/blobs/mytenant/blobs/58/5891b5b5" }
      }
    }
  }
}
