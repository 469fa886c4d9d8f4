import { conditional, downloaded, type Feature, listed, operation } from "../shared/openapi/OpenApiParts.ts"

/** What OpenAPI says of archives. */
export const archives: Feature<"list" | "removeAll" | "download" | "remove"> = {
  description: "Zip files that executions make",
  operations: {
    list: operation("An archive is in the list when it is complete.", listed),
    removeAll: operation("The executions that made them stay."),
    download: operation(
      "An execution makes at most one archive, under its own id. While it runs there is none.",
      downloaded([], "application/zip")
    ),
    remove: operation("The execution that made it stays.", conditional)
  },
  schemas: {
    Archive: {
      description: "A zip file that an execution has made",
      example: {
        id: "4kQz0vWbT1mXr8sYh2Lc-1763683200000",
        flowlineId: "4kQz0vWbT1mXr8sYh2Lc",
        size: 18_231,
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        entries: 1,
        createdAt: "2026-01-01T00:00:00.000Z"
      }
    }
  }
}
