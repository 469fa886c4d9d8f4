import {
  eventStreamed,
  type Feature,
  keyed,
  lines,
  listed,
  operation,
  revalidated
} from "../shared/openapi/OpenApiParts.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const execution = {
  id: "4kQz0vWbT1mXr8sYh2Lc-1763683200000",
  jobId: "host:4712",
  timestamp,
  duration: 1520,
  tenant: "mytenant",
  event: "stream.application.end",
  flowlineId: "4kQz0vWbT1mXr8sYh2Lc",
  state: "SUCCEEDED",
  createdAt: timestamp,
  outcome: "warnings",
  counts: { read: 2, written: 1, rejected: 1, dropped: 0 },
  reasons: ["parse rejected 1 of 2 records: no pattern matches the field message"]
}
const event = { timestamp, tenant: "mytenant", event: "stream.application.end", seq: 2, outcome: "ok" }
const count = { component: "show", recordsIn: 1, recordsOut: 0, errors: 0 }
const line = { seq: 1, timestamp, component: "show", text: "hello" }

/** What OpenAPI says of executions. */
export const executions: Feature<"list" | "listOf" | "events" | "output" | "detail" | "again" | "cancel" | "remove"> = {
  description: "Runs of flowlines that were asked for",
  operations: {
    list: operation(
      "Each with its state, its last event, what it has counted and what came of it. `state`, `flowline`, `outcome`, `from` " +
        "and `to` leave out the others. `order` says which come first.",
      listed
    ),
    listOf: operation("The list of all executions, with those of one flowline.", listed),
    events: operation(
      "With `Accept: text/event-stream`, sends the events as they occur, oldest first, and resumes after `Last-Event-ID`.",
      listed,
      eventStreamed
    ),
    output: operation(
      "What `show` nodes and programs have printed. The `Accept` header selects the format: JSON, the text (`text/plain`), " +
        "the lines (`application/x-ndjson`), or the lines as they come (`text/event-stream`), which resumes after " +
        "`Last-Event-ID`.",
      lines
    ),
    detail: operation("With its state, its events and the counters of its nodes.", revalidated),
    again: operation(
      "The new execution gets the parameters, the file and the body of the webhook that the execution had. The flowline may " +
        "have been changed or deleted since.",
      keyed(200)
    ),
    cancel: operation("The state becomes `CANCELLED` when the run has ended. An execution that has ended is a 409."),
    remove: operation("Deletes the execution with its events and output. Its archive stays. A running one is a 409.")
  },
  schemas: {
    Execution: { description: "An execution in a list", example: execution },
    ExecutionEvent: { description: "An event of an execution", example: event },
    AgainResponse: { description: "An execution that was started again", example: { id: execution.id } },
    RunTrigger: {
      description: "What has started an execution",
      example: { schedule: "nightly", kind: "cron", scheduledAt: timestamp }
    },
    NodeCount: { description: "The counters of a node", example: count },
    RunCounts: { description: "What a run has done with its records", example: execution.counts },
    OutputLine: { description: "A line that a run has printed", example: line },
    ExecutionOutput: {
      description: "What an execution has printed",
      example: { id: execution.id, state: "SUCCEEDED", truncated: false, lines: [line] }
    },
    ExecutionDetail: {
      description: "An execution",
      example: {
        ...execution,
        version: 1,
        runtime: "stream",
        startedAt: timestamp,
        endedAt: timestamp,
        error: null,
        parameters: { threshold: 500 },
        variables: { bucket: "logs" },
        environment: "production",
        events: [event],
        nodes: [count],
        archive: null
      }
    }
  }
}
