import { digested, type Feature, keyed, listed, operation, revalidated } from "../shared/OpenApiParts.ts"

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

/** What OpenAPI says of flowlines. */
export const flowlines: Feature<"list" | "save" | "executeOnce" | "get" | "execute" | "remove"> = {
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
      "Runs the file as an execution of its own. It is not in the list of saved flowlines. The part `parameters` gives " +
        "values for the flowline's parameters.",
      keyed(200),
      digested,
      {
        body: { file }
      }
    ),
    get: operation(
      "The definition is the JSON text in `source.dag`. `parameters` is the JSON Schema of what an execution gives: " +
        "a form can be made of it.",
      revalidated
    ),
    execute: operation(
      "Answers at once with the id of the execution, which runs by itself. The body gives values for the flowline's " +
        "parameters; it may be missing. Wrong, missing and unknown ones are a 400 that names each.",
      keyed(200),
      { body: { parameters: {} }, form: { parameters: "{}" }, mayLackBody: true }
    ),
    remove: operation("Deletes the flowline with all its versions. Its executions and their archives stay.", {
      answers: { 201: { description: "Deleted" } }
    })
  },
  schemas: {
    FlowlineForm: { description: "A flowline file as a form", example: { file } },
    ExecuteForm: { description: "A flowline file that is run once", example: { file, parameters: "{}" } },
    ExecuteRequest: {
      description: "What an execution of a saved flowline is given",
      example: { parameters: { threshold: 500 } }
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
    SaveResponse: { description: "What was saved", example: { index: "mytenant-flowlines", id, tenant: "mytenant" } },
    ExecuteResponse: { description: "What was started", example: { id: `${id}-1763683200000` } }
  }
}
