import type { Row, Samples } from "./sample.ts"

const startedLine = 'Started GET "/notes?target_id=162" for 127.0.0.1 at 2015-08-05 07:40:22 +0200'
const started: ReadonlyArray<Row> = [
  ["verb", "http.request.method", "GET"],
  ["request", "url.original", "/notes?target_id=162"],
  ["clientip", "source.address", "127.0.0.1"],
  ["timestamp", "timestamp", "2015-08-05 07:40:22 +0200"]
]
const action: ReadonlyArray<Row> = [
  ["controller", "rails.controller.class", "Projects::NotesController"],
  ["action", "rails.controller.action", "index"]
]
const processing: ReadonlyArray<Row> = [...action, ["format", "rails.request.format", "JSON"]]
const nested = '"note"=>{"text"=>"a } b"}, "id"=>"1"'
const doneLine = "Completed 200 OK in 640ms (Views: 1.7ms | ActiveRecord: 91.5ms | Allocations: 7)"
const done: ReadonlyArray<Row> = [
  ["response", "http.response.status_code", 200],
  ["totalms", "rails.request.duration.total", 640],
  ["viewms", "rails.request.duration.view", 1.7],
  ["activerecordms", "rails.request.duration.active_record", 91.5]
]

export const samples: Samples = {
  texts: {
    RUUID: {
      yes: ["0123456789abcdefABCDEF0123456789"],
      no: ["", "0123456789abcdef", "g123456789abcdefABCDEF0123456789"]
    }
  },
  lines: [
    { name: "RCONTROLLER", line: "by Projects::NotesController#index as", rows: action },
    { name: "RAILS3HEAD", line: startedLine, rows: started },
    {
      name: "RPROCESSING",
      line: `\nProcessing by Projects::NotesController#index as JSON\n  Parameters: {${nested}}\nRendered {}`,
      rows: [...processing, ["params", "rails.request.params", nested]]
    },
    {
      name: "RPROCESSING",
      line: 'Processing by Projects::NotesController#index as JSON  Parameters: {"a"=>{"b"=>"c"}} Completed',
      rows: [...processing, ["params", "rails.request.params", '"a"=>{"b"=>"c"}']]
    },
    { name: "RPROCESSING", line: "Processing by Projects::NotesController#index as \n", rows: action },
    { name: "RAILS3FOOT", line: doneLine, rows: done },
    {
      name: "RAILS3FOOT",
      line: "Completed 302 Found in 5ms (ActiveRecord: 1.5ms)",
      rows: [
        ["response", "http.response.status_code", 302],
        ["totalms", "rails.request.duration.total", 5],
        ["activerecordms", "rails.request.duration.active_record", 1.5]
      ]
    },
    {
      name: "RAILS3FOOT",
      line: "Completed 204 No Content in 3ms",
      rows: [
        ["response", "http.response.status_code", 204],
        ["totalms", "rails.request.duration.total", 3]
      ]
    },
    { name: "RAILS3PROFILE", line: "(Views: 0.2ms)", rows: [["viewms", "rails.request.duration.view", 0.2]] },
    {
      name: "RAILS3PROFILE",
      line: "(Views: 20ms | Solr: 1.0ms | ActiveRecord: 10ms)",
      rows: [
        ["viewms", "rails.request.duration.view", 20],
        ["activerecordms", "rails.request.duration.active_record", 10]
      ]
    },
    {
      name: "RAILS3",
      line:
        `${startedLine}\nProcessing by Projects::NotesController#index as JSON\n  Parameters: ` +
        `{${nested}}\n  Rendered x (1.0ms)\n${doneLine}`,
      rows: [
        ...started,
        ...processing,
        ["params", "rails.request.params", nested],
        ["context", "rails.request.explain.original", "Rendered x (1.0ms)"],
        ...done
      ]
    },
    {
      name: "RAILS3",
      line: `${startedLine}\nProcessing by Projects::NotesController#index as JSON\n${doneLine}`,
      rows: [...started, ...processing, ...done]
    },
    { name: "RAILS3", line: startedLine, rows: started },
    {
      name: "RAILS3",
      line: `${startedLine}\n\nboom\n`,
      rows: [...started, ["context", "rails.request.explain.original", "boom"]]
    }
  ],
  misses: {
    RCONTROLLER: ["Projects.index", "#index", "A#"],
    RAILS3HEAD: [startedLine.replace("Started", "Begun"), startedLine.replace(" +0200", "")],
    RPROCESSING: ["Processing Projects::NotesController#index", "Processing by index as JSON"],
    RAILS3FOOT: ["Completed in 5ms", "Completed 200 OK in ages"],
    RAILS3: [doneLine]
  }
}
