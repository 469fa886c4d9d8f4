import { type Feature, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const node = {
  type: "show",
  kind: "output",
  description: "Prints its records",
  runtimes: ["stream"],
  settings: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
  inputs: { min: 1, max: 1 },
  outputs: [],
  source: "builtin"
}

const own = "The tenant's own Python nodes are read when they are first asked for, and kept until a reset."

/** What OpenAPI says of the scan. */
export const scan: Feature<"all" | "analytics" | "pybatch" | "stream" | "reset"> = {
  description: "The nodes that flowlines can use",
  operations: {
    all: operation(`The nodes of each runtime. ${own}`, revalidated),
    analytics: operation("The nodes of flowlines in SQL.", revalidated),
    pybatch: operation(`A file that cannot be read as a node is listed with its \`error\`. ${own}`, revalidated),
    stream: operation("The nodes of the stream runtime.", revalidated),
    reset: operation("The next scan reads the tenant's own nodes again.")
  },
  schemas: {
    Runtime: { description: "What runs a flowline", example: "stream" },
    NodeDescriptor: { description: "A node, or a file that is none", example: node },
    ScanResult: { description: "The nodes by runtime", example: { analytics: [], pybatch: [], stream: [node] } }
  }
}
