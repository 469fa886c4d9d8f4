import { type Feature, keyed, lines, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const job = {
  cluster: "local",
  name: "apache/local/parse",
  runtimeId: "tenants/mytenant/channels/apache/local/parse",
  status: "ACTIVE",
  task: "channels/apache/parse.yaml",
  desired: "ACTIVE",
  since: "2026-01-01T00:00:00.000Z",
  restarts: 0,
  lastError: null,
  node: "host:4711",
  jobId: "host:4712",
  nextRun: null,
  nodes: [{ component: "parse", recordsIn: 100, recordsOut: 99, errors: 1 }]
}

const digest = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"

const request = {
  files: {
    "channel_structure.yaml": "applications:\n  - { name: parse, runtime: stream }\n",
    "parse.yaml":
      "runtime: stream\ndag:\n  - { type: generator_input, settings: { messages: [tick] }, publish: [ { stream: out } ] }\n" +
      "  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }\n"
  }
}

const done =
  "Start and restart are answered with 201, stop with 204, when the runs have ended or after ten seconds. What is " +
  "desired survives a restart of the gateway. Doing the same again changes nothing."

const started = { description: "Started or restarted" }
const stopped = { description: "Stopped, or stopping" }
const acted = { answers: { 201: started, 204: stopped } }

/** What OpenAPI says of channels. */
export const channels: Feature<"list" | "status" | "act" | "actOnJob" | "output" | "files" | "save" | "remove"> = {
  description: "Folders of flowlines that are kept running",
  operations: {
    list: operation("Channels whose files cannot be used are listed in `errors`, with the reason.", revalidated),
    status: operation("The status of the channel and of each of its jobs.", revalidated),
    act: operation(done, keyed(201), acted),
    actOnJob: operation(done, keyed(201), acted),
    output: operation(
      "The `Accept` header selects the format: JSON, the text (`text/plain`), the lines (`application/x-ndjson`), or the " +
        "lines as they come (`text/event-stream`), which resumes after `Last-Event-ID`.",
      lines
    ),
    files: operation(
      "The structure file and all others, with a tag for `If-Match`. `writable` says whether they can be changed here.",
      revalidated
    ),
    save: operation(
      "All files are validated together before anything is written; those that are not sent are removed. Whoever reads " +
        "finds the former channel or the new one. `If-Match` changes only the version with that tag, and " +
        "`If-None-Match: *` only creates. A running job takes the new version with its next run, so restart it.",
      {
        body: request,
        headers: ["If-Match", "If-None-Match"],
        answers: { 200: { headers: ["ETag"] }, 201: { headers: ["ETag"] } }
      }
    ),
    remove: operation("Jobs that are started have to be stopped first. What the channel has made stays.", {
      headers: ["If-Match", "If-None-Match"]
    })
  },
  schemas: {
    ChannelDefinition: {
      description: "The files of a channel",
      example: { channel: "apache", ...request, digest, writable: true }
    },
    ChannelDefinitionRequest: { description: "The files of a new version of a channel", example: request },
    SavedChannel: {
      description: "What has been saved",
      example: { channel: "apache", digest, jobs: ["local/parse"], restart: ["local/parse"] }
    },
    ChannelEntry: { description: "A channel in the list", example: { name: "apache", status: "STOPPED" } },
    ChannelList: {
      description: "The channels of a tenant",
      example: {
        children: [{ name: "apache", status: "STOPPED" }],
        errors: [{ name: "broken", status: "INVALID", reason: "The file parse.yaml is missing" }]
      }
    },
    ChannelDetail: { description: "A channel and its jobs", example: { status: "ACTIVE", jobs: [job] } },
    Job: { description: "A flowline that a channel keeps running", example: job },
    JobOutput: {
      description: "What a job has printed",
      example: { lines: [{ seq: 1, timestamp: "2026-01-01T00:00:00.000Z", component: "show", text: "hello" }] }
    }
  }
}
