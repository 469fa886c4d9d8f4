import { downloaded, type Feature, operation } from "../shared/openapi/OpenApiParts.ts"

const from =
  "Pages come from the tenant's `documentation/` folder, else from the product's documentation. Markdown is sent " +
  "unchanged, or rendered as HTML when the `Accept` header prefers `text/html`. Pictures have their own media types."

const page = [{ headers: ["Accept" as const] }, downloaded(["text/html", "*/*"], "text/markdown", ["Vary"])]

/** What OpenAPI says of documentation. */
export const documentation: Feature<"index" | "page"> = {
  description: "Pages of the tenant and of the product",
  operations: {
    index: operation(`The start page, or a list of all pages when there is none. ${from}`, ...page),
    page: operation(from, ...page)
  },
  schemas: {}
}
