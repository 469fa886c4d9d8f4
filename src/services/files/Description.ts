import {
  conditional,
  downloaded,
  type Feature,
  listed,
  operation,
  revalidated
} from "../shared/openapi/OpenApiParts.ts"

/** What OpenAPI says of the files of runs. */
export const files: Feature<"roots" | "list" | "read" | "remove"> = {
  description: "What runs have written: the tenant's data area, and the roots that runs may write",
  operations: {
    roots: operation("The roots that the operator has named, `conf` and `data`.", revalidated),
    list: operation("Regular files; links are left out.", listed),
    read: operation(
      "The bytes of a file, with the media type of its path. A file that grows is read up to its size at the beginning.",
      downloaded(["*/*"], "application/octet-stream")
    ),
    remove: operation("Deletes the file, or the link of this name.", conditional)
  },
  schemas: {
    RunFile: {
      description: "A file that a run has written",
      example: { path: "out/access.csv", size: 812, modifiedAt: "2026-01-01T00:00:00.000Z" }
    },
    Root: { description: "A folder that nodes can name", example: { name: "data", writable: true } }
  }
}
