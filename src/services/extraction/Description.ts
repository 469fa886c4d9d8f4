import { digested, type Feature, keyed, operation } from "../shared/openapi/OpenApiParts.ts"

const request = {
  description: "Failed requests",
  format: "csv",
  index: "mytenant-access-*",
  fields: [{ name: "@timestamp", type: "date" }, { name: "response" }],
  filters: { range: { response: { gte: 500 } } }
}

/** What OpenAPI says of extractions. */
export const extraction: Feature<"extract"> = {
  description: "Documents of an index as a file",
  operations: {
    extract: operation(
      "Answers at once, with the ids of the flowline, of the execution and of the archive that the execution will make. A " +
        "pattern that matches no index gives an empty file.",
      keyed(200),
      digested,
      { body: request }
    )
  },
  schemas: {
    ExtractionRequest: { description: "Which documents to extract, and how", example: request },
    ExtractionStarted: {
      description: "What the extraction has started",
      example: {
        index: "mytenant-flowlines",
        id: "4kQz0vWbT1mXr8sYh2Lc",
        tenant: "mytenant",
        execution: "4kQz0vWbT1mXr8sYh2Lc-1763683200000",
        archive: "4kQz0vWbT1mXr8sYh2Lc-1763683200000"
      }
    }
  }
}
