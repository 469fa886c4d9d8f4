import { downloaded, type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const node = {
  parent: "flowlines",
  path: "flowlines/generator.yaml",
  size: 812,
  isFile: true,
  canRead: true,
  children: {}
}

/** What OpenAPI says of the configuration. */
export const conf: Feature<"tree" | "read"> = {
  description: "The tenant's configuration folder",
  operations: {
    tree: operation(
      "An object whose keys are the names of the entries. The `size` of a folder is the sum of its files.",
      revalidated
    ),
    read: operation(
      "The bytes of a file, with the media type of its extension; `application/octet-stream` when that is unknown.",
      downloaded(["*/*"], "application/octet-stream")
    )
  },
  schemas: { ConfNode: { description: "A file or folder of the configuration", example: node } }
}
