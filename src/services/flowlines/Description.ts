import {
  conditional,
  digested,
  downloaded,
  type Feature,
  keyed,
  listed,
  operation,
  revalidated
} from "../shared/openapi/OpenApiParts.ts"

const file = `version: "1.0"
type: flowline
name: hello
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [hello], count: 1 }
    publish: [{ stream: logs }]
  - type: show
    subscribe: [{ component: generator_input, stream: logs }]
`

const id = "4kQz0vWbT1mXr8sYh2Lc"
const timestamp = "2026-01-01T00:00:00.000Z"

const entry = {
  version: 1,
  "@timestamp": timestamp,
  platformId: "flow-standalone",
  current: true,
  original: true,
  size: 257,
  filename: "hello.yaml",
  restored: null
}
const node = { component: "screen", type: "show", pointer: "/dag/1" }
const change = { pointer: "/dag/1/component", change: "changed", before: "screen", after: "tv" }

/** What OpenAPI says of flowlines. */
export const flowlines: Feature<
  | "list"
  | "save"
  | "executeOnce"
  | "tryOut"
  | "get"
  | "execute"
  | "remove"
  | "versions"
  | "version"
  | "file"
  | "diff"
  | "restore"
> = {
  description: "Graphs of nodes, saved as immutable versions",
  operations: {
    list: operation("Each flowline in its current version.", listed),
    save: operation(
      "A new flowline, or with `id` a new version of one. A faulty file is refused with all its faults at once, each with " +
        "its JSON pointer, line and column. `If-Match` with the `ETag` of the version that was edited keeps changes of " +
        "others from being lost.",
      keyed(200, "ETag", "Flow-Version"),
      digested,
      { headers: ["If-Match"], body: { file } }
    ),
    executeOnce: operation(
      "Runs the file as an execution of its own. The flowline is not in the list of saved ones, but can be read and run " +
        "again by its id for as long as an execution of it is kept. The part `parameters` gives values for its parameters.",
      keyed(200),
      digested,
      {
        body: { file }
      }
    ),
    tryOut: operation(
      "Runs the flowline once in a process of its own, as an execution would, but with a sample in place of its inputs' " +
        "sources and without its outputs. The answer has the first records of every stream, what each node dropped or " +
        "rejected and why, and the results of the flowline's tests. A run that fails is an answer, too: `outcome` says " +
        "so. Every part of the form may be a file or a text.",
      digested,
      { body: { file, sample: "a line\nanother line\n" } }
    ),
    get: operation(
      "The definition is the JSON text in `source.dag`. `parameters` is the JSON Schema of what an execution gives: " +
        "a form can be made of it.",
      revalidated,
      { headers: ["If-Match"] }
    ),
    execute: operation(
      "Answers at once with the id of the execution, which runs by itself. The body gives values for the flowline's " +
        "parameters; it may be missing. Wrong, missing and unknown ones are a 400 that names each.",
      keyed(200),
      conditional,
      { body: { parameters: {} }, form: { parameters: "{}" }, mayLackBody: true }
    ),
    remove: operation(
      "Deletes the flowline with all its versions. Its executions and their archives stay.",
      conditional,
      {
        answers: { 201: { description: "Deleted" } }
      }
    ),
    versions: operation("Newest first. Retention deletes superseded versions that no execution has run.", listed),
    version: operation(
      "`text` is the file as it was sent, with its comments. `original` is false where only the definition is kept: then " +
        "the text is made of it.",
      revalidated
    ),
    file: operation(
      "The bytes that were sent. A version without its file is answered with a JSON file that is made of the definition.",
      downloaded(["*/*"], "application/octet-stream")
    ),
    diff: operation(
      "From `version` to `other`: the nodes that were added, removed or changed, each changed value with its JSON pointer, " +
        "and a unified diff of the texts. The order of nodes and of members counts as notation.",
      revalidated
    ),
    restore: operation(
      "Validates the file of the version again and makes it the next version; nothing is deleted. `If-Match` works as in a " +
        "save.",
      keyed(200, "ETag", "Flow-Version"),
      { headers: ["If-Match"] }
    )
  },
  schemas: {
    FlowlineForm: { description: "A flowline file as a form", example: { file } },
    ExecuteForm: { description: "A flowline file that is run once", example: { file, parameters: "{}" } },
    ExecuteRequest: {
      description: "What an execution of a saved flowline is given",
      example: { parameters: { threshold: 500 } }
    },
    TryForm: { description: "A flowline, and the sample to try it on", example: { file, sample: "a line\n" } },
    TriedRecords: {
      description: "The first records of a list",
      example: { count: 1, records: [{ message: "a line" }], cut: false }
    },
    TriedEdge: {
      description: "A stream, with the nodes that it connects",
      example: {
        from: "parse",
        stream: "logs",
        to: ["show"],
        count: 1,
        records: [{ message: "hello" }],
        cut: false
      }
    },
    UnmatchedSetting: {
      description: "A pattern that matched no record",
      example: { pointer: "/dag/1/settings/patterns/1", text: "^%{IP:client}", line: 9, column: 22 }
    },
    TriedComponent: {
      description:
        "What a node made of its records: `rejected` are those that failed, with the reason and how far a pattern matched, " +
        "`dropped` those of which nothing went out",
      example: { component: "parse", type: "grok", recordsIn: 2, recordsOut: 2, micros: 310 }
    },
    UnreferencedField: {
      description: "A field that nothing uses",
      example: { component: "parse", field: "ident" }
    },
    TestDifference: {
      description: "Where a test found something else than it expects",
      example: {
        pointer: "/tests/0/expect/0/records/0/response",
        line: 30,
        column: 27,
        detail: "Expected 500, found 404",
        expected: 500,
        found: 404
      }
    },
    TestResult: {
      description: "The result of a test of the flowline",
      example: { name: "a failed request", passed: true, differences: [] }
    },
    TryAnswer: {
      description: "What a try found",
      example: {
        outcome: "succeeded",
        millis: 12,
        nodes: [],
        edges: [],
        unreferenced: [],
        printed: [],
        warnings: []
      }
    },
    ParametersForm: { description: "What an execution is given, as a form", example: { parameters: "{}" } },
    SavedFlowline: {
      description: "A saved flowline in the list",
      example: {
        id,
        flowline: { version: "1.0", runtime: "stream" },
        version: 1,
        platformId: "flow-standalone",
        "@timestamp": timestamp
      }
    },
    FlowlineRecord: {
      description: "A saved flowline",
      example: {
        index: "mytenant-flowlines",
        id,
        source: {
          "@timestamp": timestamp,
          platform_id: "flow-standalone",
          dag: '{"version":"1.0"}',
          tenant: "mytenant"
        },
        parameters: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: { threshold: { type: "integer", minimum: 1, default: 500 } },
          required: [],
          additionalProperties: false
        }
      }
    },
    SaveResponse: {
      description: "What was saved",
      example: { index: "mytenant-flowlines", id, tenant: "mytenant", version: 1 }
    },
    FlowlineVersionEntry: { description: "A version of a flowline in the list", example: entry },
    FlowlineVersionRecord: {
      description: "A version of a flowline",
      example: { id, ...entry, sha256: "0".repeat(64), flowline: { version: "1.0", runtime: "stream" }, text: file }
    },
    FlowlineChange: { description: "A changed value", example: change },
    FlowlineNode: { description: "A node of a flowline", example: node },
    FlowlineComparison: {
      description: "What has changed from one version to another",
      example: {
        id,
        from: 1,
        to: 2,
        same: false,
        nodes: { added: [], removed: [], changed: [{ ...node, changes: [change] }] },
        changes: [],
        text: "--- hello.yaml\tversion 1\n+++ hello.yaml\tversion 2\n@@ -1 +1 @@\n-count: 1\n+count: 2\n",
        original: true,
        truncated: false
      }
    },
    ExecuteResponse: { description: "What was started", example: { id: `${id}-1763683200000` } }
  }
}
