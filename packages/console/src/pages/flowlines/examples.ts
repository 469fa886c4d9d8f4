/** A flowline that works as it is, with a comment on each part. */
export const example = `version: "1.0"
type: flowline
name: first-steps
description: Reads lines, parses them, keeps what failed, and prints it
runtime: stream
dag:
  # Three lines of a log. In place of this node, file_input reads files.
  - type: generator_input
    component: lines
    settings:
      count: 3
      messages:
        - 10.0.0.1 GET /index.html 200
        - 10.0.0.2 GET /missing 404
        - 10.0.0.1 POST /login 500
    publish: [ { stream: lines } ]
  - type: grok
    component: parse
    settings:
      patterns:
        - "%{IP:client} %{WORD:verb} %{NOTSPACE:path} %{INT:status:int}"
    subscribe: [ { component: lines, stream: lines } ]
    publish: [ { stream: parsed } ]
  - type: filter
    component: failed
    settings:
      where: status >= 400
    subscribe: [ { component: parse, stream: parsed } ]
    publish: [ { stream: failed } ]
  # Prints its records. archive_output, file_output and search_output keep them.
  - type: show
    subscribe: [ { component: failed, stream: failed } ]
`

/** What the example says, so that it is drawn before anything reads it. */
export const exampleFlowline = {
  version: "1.0",
  type: "flowline",
  name: "first-steps",
  description: "Reads lines, parses them, keeps what failed, and prints it",
  runtime: "stream",
  dag: [
    {
      type: "generator_input",
      component: "lines",
      settings: {
        count: 3,
        messages: ["10.0.0.1 GET /index.html 200", "10.0.0.2 GET /missing 404", "10.0.0.1 POST /login 500"]
      },
      publish: [{ stream: "lines" }]
    },
    {
      type: "grok",
      component: "parse",
      settings: { patterns: ["%{IP:client} %{WORD:verb} %{NOTSPACE:path} %{INT:status:int}"] },
      subscribe: [{ component: "lines", stream: "lines" }],
      publish: [{ stream: "parsed" }]
    },
    {
      type: "filter",
      component: "failed",
      settings: { where: "status >= 400" },
      subscribe: [{ component: "parse", stream: "parsed" }],
      publish: [{ stream: "failed" }]
    },
    { type: "show", subscribe: [{ component: "failed", stream: "failed" }] }
  ]
}

/** What the tester hands over: the YAML of a node that reads `input` `lines` and publishes `parsed`, and lines. */
export interface FromTester {
  readonly node: string
  readonly type: string
  readonly lines: ReadonlyArray<string>
}

/** What a link of the tester has in its fragment; undefined if it is none. */
export const fromFragment = (hash: string): FromTester | undefined => {
  try {
    const { node, type, lines } = JSON.parse(new URLSearchParams(hash.slice(1)).get("node") ?? "null") ?? {}
    const isWhole = typeof node === "string" && typeof type === "string" && /^\w+$/.test(type) && Array.isArray(lines)
    return isWhole ? { node, type, lines: lines.filter((line) => typeof line === "string") } : undefined
  } catch {
    return undefined
  }
}
