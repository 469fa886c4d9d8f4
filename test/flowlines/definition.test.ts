import { readdirSync, readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { decodeStored } from "../../src/services/executions/StoredFlowline.ts"
import { definition, issues } from "./read.ts"

const summary = (text: string) =>
  issues(text).map(({ pointer, detail, line, column }) => `${line}:${column} ${pointer} ${detail}`)

describe("decode", () => {
  it("fills in the defaults and keeps the file's own value", () => {
    const file = "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n"
    const { flowline, dag } = definition(file)
    expect(flowline).toEqual({
      runtime: "stream",
      settings: {},
      dag: [{ type: "generator_input", settings: { messages: ["a"] }, subscribe: [], publish: [] }]
    })
    expect(JSON.parse(dag)).toEqual({
      runtime: "stream",
      dag: [{ type: "generator_input", settings: { messages: ["a"] } }]
    })
  })

  it("finds everything at once, in the order of the file", () => {
    const file = `version: "1.0"
runtime: steam
extra: 1
settings: { memory_mib: 1 }
dag:
  - type: file_input
    settings: { paht: x.log, format: lnes }
    publish: [ { stream: logs } ]
  - type: fliter
    subscribe: [ { component: file_input, stream: log } ]
  - type: filter
    component: show
    settings:
      where: |
        a == 1
          and (b
    subscribe: [ { component: fil_input, stream: logs } ]
    publish: [ { stream: x, y: 1 }, { stream: x } ]
  - type: show
    settings: { limit: many }
    subscribe: [ { component: show, stream: x } ]
    publish: [ { stream: more } ]
  - type: filter
    component: a
    settings: { where: 'x =~ "("' }
    subscribe: [ { component: b, stream: x } ]
    publish: [ { stream: x } ]
  - type: filter
    component: b
    settings: { where: "a" }
    subscribe: [ { component: a, stream: x }, { component: a, stream: x } ]
    publish: [ { stream: x } ]
  - type: show
    component: after
    subscribe: [ { component: b, stream: x } ]
  - type: archive_output
    settings: { entry: ../x }
  - 3
`
    expect(summary(file)).toEqual([
      '2:10 /runtime Expected "stream" | "analytics" | "pybatch", found "steam"',
      '3:1 /extra There is no "extra" here: there is version, type, name, description, runtime, settings, parameters, dag, tests',
      "4:25 /settings/memory_mib Expected a value between 64 and 65536, found 1",
      "7:15 /dag/0/settings One of path, registry and resource is required",
      '7:17 /dag/0/settings/paht There is no "paht" here; did you mean "path"?',
      '7:38 /dag/0/settings/format Expected "lines" | "ndjson" | "csv" | "parquet", found "lnes"',
      expect.stringMatching(/^9:11 \/dag\/1\/type There is no node "fliter"; did you mean "filter"\? The nodes are /),
      '10:51 /dag/1/subscribe/0/stream file_input does not publish "log" but logs; did you mean "logs"?',
      "16:17 /dag/2/settings/where Unclosed (",
      '17:31 /dag/2/subscribe/0/component There is no component "fil_input"; did you mean "file_input"?',
      '18:29 /dag/2/publish/0/y There is no "y" here: there is stream',
      '18:47 /dag/2/publish/1/stream The stream "x" is published twice',
      '19:11 /dag/3/type The component "show" exists already: give this node a component name of its own',
      '20:24 /dag/3/settings/limit Expected number, found "many"',
      "22:26 /dag/3/publish/0/stream show publishes no streams",
      "25:30 /dag/4/settings/where The regular expression does not compile: Unterminated group",
      "26:18 /dag/4/subscribe/0 The nodes form a cycle: a -> b -> a",
      "31:47 /dag/5/subscribe/1 This subscription exists already",
      '33:5 /dag/6 No input leads to "after"',
      "36:5 /dag/7/subscribe archive_output needs a subscription",
      '37:24 /dag/7/settings/entry the path must not contain ".."',
      "38:5 /dag/8 Expected object, found 3"
    ])
  })

  it("names what may be meant in members of settings too", () => {
    const file = `runtime: stream
dag:
  - { type: generator_input, settings: { messages: [a] }, publish: [ { stream: x } ] }
  - type: dispatch
    settings: { routes: [ { stream: a, were: "b", where: "true" } ] }
    subscribe: [ { component: generator_input, stream: x } ]
    publish: [ { stream: a } ]
`
    expect(summary(file)).toEqual(['5:40 /dag/1/settings/routes/0/were There is no "were" here; did you mean "where"?'])
  })

  it("knows which nodes a runtime has", () => {
    const file =
      "runtime: analytics\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n  - type: grokk\n"
    expect(summary(file)).toEqual([
      "3:11 /dag/0/type generator_input is not a node of analytics, but of stream",
      '5:11 /dag/1/type There is no node "grokk". The nodes of analytics are dataset_generator, file_input, search_input, sql_input, trigger_input, http_poll_input, sql, show, file_output, archive_output, search_output, sql_output'
    ])
  })

  it("finds pattern faults where they are in the file", () => {
    const file = `runtime: stream
dag:
  - type: generator_input
    settings: { messages: [a] }
    publish: [ { stream: s } ]
  - type: grok
    settings:
      patterns:
        - "%{MINE:a} %{NOPE:b}"
        - '%{MINE:c'
      definitions: |
        MINE a+
        OTHER b+
    subscribe: [ { component: generator_input, stream: s } ]
  - type: dissect
    settings: { pattern: "x %{a} %{&b}" }
    subscribe: [ { component: generator_input, stream: s } ]
`
    expect(issues(file)).toMatchObject([
      { pointer: "/dag/1/settings/patterns/0", line: 9, column: 22 },
      { pointer: "/dag/1/settings/patterns/1", line: 10, column: 12 },
      { pointer: "/dag/2/settings/pattern", line: 16 }
    ])
  })

  it("does not let two nodes write the same thing", () => {
    const input = "  - type: generator_input\n    settings: { messages: [a] }\n    publish: [ { stream: s } ]\n"
    const output = (type: string, component: string, settings: string) =>
      `  - type: ${type}\n    component: ${component}\n    settings: ${settings}\n    subscribe: [ { component: generator_input, stream: s } ]\n`
    const file = (...outputs: ReadonlyArray<string>) => `runtime: stream\ndag:\n${input}${outputs.join("")}`
    expect(
      summary(
        file(
          output("archive_output", "a", "{}"),
          output("archive_output", "b", "{ entry: a.ndjson }"),
          output("file_output", "c", "{ path: x/y.csv }"),
          output("file_output", "d", "{ path: x/y.csv }")
        )
      )
    ).toEqual([
      '12:24 /dag/2/settings/entry "a" writes "a.ndjson" already',
      '20:23 /dag/4/settings/path "c" writes "x/y.csv" already'
    ])
    definition(file(output("archive_output", "a", "{}"), output("file_output", "b", "{ path: a.ndjson }")))
    // What else is wrong with a node does not hide it, and a node without its path writes nothing.
    const path = "{ path: x/y.csv, columns: 1 }"
    expect(summary(file(output("file_output", "a", path), output("file_output", "b", path)))).toEqual([
      expect.stringContaining("/dag/1/settings/columns "),
      expect.stringContaining("/dag/2/settings/path "),
      expect.stringContaining("/dag/2/settings/columns ")
    ])
    expect(summary(file(output("file_output", "a", "{}"), output("file_output", "b", "{}")))).toEqual([
      expect.stringContaining("/dag/1/settings"),
      expect.stringContaining("/dag/2/settings")
    ])
  })

  it("refuses paths that leave their folder", () => {
    for (const path of [
      "../x",
      "/etc/passwd",
      "a/../b",
      "a//b",
      "a\\\\b",
      "C:/x",
      "./x",
      "a/",
      "",
      "a\\u0001",
      "\\ud800"
    ]) {
      for (const node of [
        `{"type":"file_input","settings":{"path":"${path}"}}`,
        `{"type":"file_output","settings":{"path":"${path}"}}`,
        `{"type":"archive_output","settings":{"entry":"${path}"}}`
      ]) {
        const found = issues(`{"runtime":"stream","dag":[${node}]}`)
        expect(found.map(({ pointer }) => pointer)).toContainEqual(
          expect.stringMatching(/^\/dag\/0\/settings\/(path|entry)$/)
        )
      }
    }
  })

  it("takes every flowline of the example configuration that it can run", () => {
    const folder = new URL("../../examples/conf/tenants/mytenant/flowlines/", import.meta.url)
    const files = readdirSync(folder).filter((name) => /\.(yaml|hjson|json)$/.test(name))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files) {
      const text = readFileSync(new URL(name, folder), "utf8")
      // Their nodes are the tenant's own, which its scan knows.
      if (text.includes("runtime: pybatch")) continue
      expect(definition(text, name).flowline.dag.length).toBeGreaterThan(1)
    }
  })

  it("refuses names that cannot be shown", () => {
    for (const name of ["", "a\\u0000b", "a\\nb", "\\ud800", "x".repeat(129)]) {
      const node = `{"type":"generator_input","component":"${name}","settings":{"messages":["a"]},"publish":[{"stream":"${name}"}]}`
      const found = issues(`{"runtime":"stream","dag":[${node}]}`).map(({ pointer }) => pointer)
      expect(found).toEqual(["/dag/0/component", "/dag/0/publish/0/stream"])
    }
  })

  it("stays quick and short on a hostile file", () => {
    const began = process.cpuUsage()
    const many = issues(`{"runtime":"stream","dag":[${"3,".repeat(50_000)}3]}`)
    expect(many.length).toBeLessThan(300)
    const names = Array.from(
      { length: 300 },
      (_, n) =>
        `{"type":"filter","component":"component${n}","settings":{"wher":1}, "subscribe":[${Array.from({ length: 40 }, (_, m) => `{"component":"componnt${n + m}","stream":"s"}`)}]}`
    )
    expect(issues(`{"runtime":"stream","dag":[${names}]}`).length).toBe(201)
    const members = Array.from({ length: 30_000 }, (_, n) => `"x${n}":1`)
    expect(issues(`{"runtime":"stream",${members}}`).length).toBe(201)
    // Half a second of processor; quadratic work would take minutes.
    expect(process.cpuUsage(began).user).toBeLessThan(10_000_000)
  })
})

describe("stored definitions", () => {
  it("are read as they were saved", () => {
    const { dag, flowline } = definition(
      "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n"
    )
    expect(Result.getOrThrow(decodeStored(dag))).toEqual(flowline)
    expect(Result.isFailure(decodeStored("{"))).toBe(true)
    expect(Result.isFailure(decodeStored("null"))).toBe(true)
  })
})
