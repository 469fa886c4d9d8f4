import { digested, type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const request = { index: "mytenant-*", query: { match_all: {} }, limit: 10 }

/** What OpenAPI says of the search. */
export const search: Feature<"indices" | "fields" | "search" | "removeIndex"> = {
  description: "Indices of JSON documents",
  operations: {
    indices: operation("With the number of documents and the bytes on the disk.", revalidated),
    fields: operation(
      "As they have been written: the types of fields whose documents are gone stay. Indices of gateways of before may have " +
        "fields that are not known; `more` says so.",
      revalidated
    ),
    search: operation(
      "Documents by `@timestamp`, then by id, or in the order of `sort`; with `size` or `from` the newest first. `cursor` " +
        "leads to the next page. `aggs` counts all documents that match. What is not supported is a 400.",
      digested,
      { body: request }
    ),
    removeIndex: operation("With `before` only the documents that are older.")
  },
  schemas: {
    SearchRequest: { description: "Which documents to get", example: request },
    SearchPage: {
      description: "A page of documents",
      example: { documents: [{ id: "1", index: "mytenant-access", source: { response: 200 } }] }
    },
    SearchWarning: {
      description: "A field that no document has",
      example: {
        pointer: "/aggs/a/terms/field",
        field: "respnse",
        detail: 'No document has a field "respnse"; did you mean "response"?'
      }
    },
    IndexFields: {
      description: "The fields of indices",
      example: { fields: [{ name: "response", types: ["number"] }], more: false }
    },
    Index: {
      description: "An index",
      example: { name: "mytenant-access", documents: 1, bytes: 8192, from: "2026-01-01T00:00:00.000Z", to: null }
    }
  }
}
