import { readdirSync, readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Issue } from "../../src/errors/BadRequest.ts"
import { type Definition, decode, fromStored } from "../../src/services/flowlines/Definition.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (text: string, name?: string) => decode({ name, bytes: bytes(text) })
const definition = (text: string, name?: string): Definition => {
  const result = read(text, name)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}
const issues = (text: string, name?: string): ReadonlyArray<Issue> => {
  const result = read(text, name)
  if (Result.isSuccess(result)) throw new Error("accepted")
  return result.failure
}
const summary = (text: string) =>
  issues(text).map(({ pointer, detail, line, column }) => `${line}:${column} ${pointer} ${detail}`)

describe("decode", () => {
  it("fills in the defaults and keeps the file's own value", () => {
    const file = "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n"
    const { flowline, dag, value } = definition(file)
    expect(flowline).toEqual({
      runtime: "stream",
      settings: {},
      dag: [{ type: "generator_input", settings: { messages: ["a"] }, subscribe: [], publish: [] }]
    })
    expect(value).toEqual({ runtime: "stream", dag: [{ type: "generator_input", settings: { messages: ["a"] } }] })
    expect(JSON.parse(dag)).toEqual(value)
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
      '3:1 /extra There is no "extra" here: there is version, type, name, description, runtime, settings, dag',
      "4:25 /settings/memory_mib Expected a value between 64 and 65536, found 1",
      "7:15 /dag/0/settings/path This is required",
      '7:17 /dag/0/settings/paht There is no "paht" here; did you mean "path"?',
      '7:38 /dag/0/settings/format Expected "lines" | "ndjson", found "lnes"',
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
      "31:47 /dag/5/subscribe/1 This subscription is there already",
      '33:5 /dag/6 No input leads to "after"',
      "36:5 /dag/7/subscribe archive_output needs a subscription",
      '37:24 /dag/7/settings/entry the path must not contain ".."',
      "38:5 /dag/8 Expected object, found 3"
    ])
  })

  it("knows which nodes a runtime has", () => {
    const file =
      "runtime: analytics\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n  - type: grokk\n"
    expect(summary(file)).toEqual([
      "3:11 /dag/0/type generator_input is not a node of analytics, but of stream",
      '5:11 /dag/1/type There is no node "grokk". The nodes of analytics are dataset_generator, file_input, show, file_output, archive_output'
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
      const { flowline } = definition(readFileSync(new URL(name, folder), "utf8"), name)
      expect(flowline.runtime).toBe("stream")
    }
  })

  it("stays quick and short on a hostile file", () => {
    const began = performance.now()
    const many = issues(`{"runtime":"stream","dag":[${"3,".repeat(500_000)}3]}`)
    expect(many.length).toBeLessThan(300)
    const names = Array.from(
      { length: 1000 },
      (_, n) =>
        `{"type":"filter","component":"component${n}","settings":{"wher":1}, "subscribe":[${Array.from({ length: 40 }, (_, m) => `{"component":"componnt${n + m}","stream":"s"}`)}]}`
    )
    expect(issues(`{"runtime":"stream","dag":[${names}]}`).length).toBe(201)
    const members = Array.from({ length: 200_000 }, (_, n) => `"x${n}":1`)
    expect(issues(`{"runtime":"stream",${members}}`).length).toBe(201)
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

describe("stored definitions", () => {
  it("are read as they were saved, without positions", () => {
    const { dag, flowline } = definition(
      "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a] }\n"
    )
    expect(Result.getOrThrow(fromStored(dag)).flowline).toEqual(flowline)
    const result = fromStored('{"runtime":"stream","dag":[{"type":"filter","settings":{"where":"("}}]}')
    if (Result.isSuccess(result)) throw new Error("accepted")
    for (const issue of result.failure) expect(Object.keys(issue).sort()).toEqual(["detail", "pointer"])
    expect(result.failure.map(({ pointer }) => pointer)).toEqual(["/dag/0/settings/where", "/dag/0/subscribe"])
    expect(Result.isFailure(fromStored("{"))).toBe(true)
    expect(Result.isFailure(fromStored("null"))).toBe(true)
  })
})

/** A DAG from numbers: node n subscribes to some of the nodes before it; the first one is an input. */
const below = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
const Seeds = Schema.Array(
  Schema.Struct({ kind: below(6), from: Schema.Array(below(1000)).check(Schema.isMaxLength(3)), streams: below(3) })
).check(Schema.isMaxLength(8))

interface Node {
  type: string
  component: string
  settings: Record<string, unknown>
  subscribe: Array<{ component: string; stream: string }>
  publish: Array<{ stream: string }>
}
const input = (index: number): Node => ({
  type: "generator_input",
  component: `n${index}`,
  settings: { messages: ["a"] },
  subscribe: [],
  publish: [{ stream: "s0" }, { stream: "s1" }]
})
const kinds: ReadonlyArray<readonly [string, (index: number) => Record<string, unknown>]> = [
  ["filter", () => ({ where: "a == 1" })],
  ["dissect", () => ({ pattern: "%{a} %{b}" })],
  ["show", () => ({ limit: 3 })],
  ["archive_output", (index) => ({ entry: `e${index}.csv` })],
  ["file_output", (index) => ({ path: `p${index}.csv` })]
]

const build = (seeds: typeof Seeds.Type): { runtime: string; dag: Array<Node> } => {
  const dag = [input(0)]
  for (const { kind, from, streams } of seeds) {
    const index = dag.length
    const found = kinds[kind]
    if (found === undefined) {
      dag.push(input(index))
      continue
    }
    const [type, settings] = found
    const senders = dag.filter((node) => node.publish.length > 0)
    const wires = [0, ...from].map((pick, at) => senders[(at === 0 ? senders.length - 1 : pick) % senders.length]!)
    const subscribe = [...new Set(wires)].map(({ component }) => ({ component, stream: "s0" }))
    const publish = kind < 2 ? ["s0", "s1", "errors"].slice(0, streams + 1).map((stream) => ({ stream })) : []
    dag.push({ type, component: `n${index}`, settings: settings(index), subscribe, publish })
  }
  return { runtime: "stream", dag }
}

/** One thing wrong: what is done to the flowline and the pointer of the issue it must give, if it can be done. */
type Mutation = (flowline: ReturnType<typeof build>, pick: number) => string | undefined
const receivers = (dag: ReadonlyArray<Node>) => dag.flatMap((node, index) => (node.subscribe.length > 0 ? [index] : []))
const mutations: Record<string, Mutation> = {
  "a renamed stream": ({ dag }, pick) => {
    const receiver = receivers(dag)[pick % Math.max(1, receivers(dag).length)]
    if (receiver === undefined) return undefined
    dag[receiver]!.subscribe[0]!.stream = "renamed"
    return `/dag/${receiver}/subscribe/0/stream`
  },
  "a dropped node": ({ dag }, pick) => {
    const used = dag.flatMap(({ component }, index) =>
      dag.some(({ subscribe }) => subscribe.some((wire) => wire.component === component)) ? [index] : []
    )
    const dropped = used[pick % Math.max(1, used.length)]
    if (dropped === undefined) return undefined
    const [{ component }] = dag.splice(dropped, 1) as [Node]
    const at = dag.findIndex(({ subscribe }) => subscribe.some((wire) => wire.component === component))
    return `/dag/${at}/subscribe/${dag[at]!.subscribe.findIndex((wire) => wire.component === component)}/component`
  },
  "a cycle": ({ dag }, pick) => {
    const middle = dag.flatMap((node, index) => (node.subscribe.length > 0 && node.publish.length > 0 ? [index] : []))
    const index = middle[pick % Math.max(1, middle.length)]
    if (index === undefined) return undefined
    dag[index]!.subscribe.push({ component: dag[index]!.component, stream: "s0" })
    return `/dag/${index}/subscribe/${dag[index]!.subscribe.length - 1}`
  },
  "a misspelt setting": ({ dag }, pick) => {
    const index = pick % dag.length
    const { settings } = dag[index]!
    const key = Object.keys(settings)[0]!
    settings[`${key}x`] = settings[key]
    delete settings[key]
    return `/dag/${index}/settings/${key}x`
  },
  "an unknown type": ({ dag }, pick) => {
    const index = pick % dag.length
    dag[index]!.type = "gork"
    return `/dag/${index}/type`
  },
  "a second node of the same name": ({ dag }, pick) => {
    const index = pick % dag.length
    dag.push({ ...input(0), component: dag[index]!.component })
    return `/dag/${dag.length - 1}/component`
  },
  "no subscription": ({ dag }, pick) => {
    const receiver = receivers(dag)[pick % Math.max(1, receivers(dag).length)]
    if (receiver === undefined) return undefined
    dag[receiver]!.subscribe = []
    return `/dag/${receiver}/subscribe`
  },
  "a stream that the node does not have": ({ dag }, pick) => {
    const outputs = dag.flatMap((node, index) => (node.publish.length === 0 ? [index] : []))
    const index = outputs[pick % Math.max(1, outputs.length)]
    if (index === undefined) return undefined
    dag[index]!.publish = [{ stream: "s0" }]
    return `/dag/${index}/publish/0/stream`
  },
  "a setting of the wrong type": ({ dag }, pick) => {
    const index = pick % dag.length
    const { settings } = dag[index]!
    const key = Object.keys(settings)[0]!
    settings[key] = { wrong: true }
    return `/dag/${index}/settings/${key}`
  },
  "an unknown member": ({ dag }, pick) => {
    const index = pick % dag.length
    Object.assign(dag[index]!, { publsh: [] })
    return `/dag/${index}/publsh`
  }
}

describe("any flowline", () => {
  it.prop(
    "that is right decodes, and what is stored of it decodes to the same",
    { seeds: Seeds },
    ({ seeds }) => {
      const flowline = build(seeds)
      const first = definition(JSON.stringify(flowline))
      expect(first.flowline).toEqual({ ...flowline, settings: {} })
      const second = definition(first.dag, "stored.json")
      expect(second).toEqual(first)
      expect(definition(JSON.stringify(first.flowline)).flowline).toEqual(first.flowline)
      expect(Result.getOrThrow(fromStored(first.dag))).toEqual(first)
    },
    { arbitrary: { runs: 500 } }
  )

  for (const [name, mutate] of Object.entries(mutations)) {
    it.prop(
      `with ${name} is refused at the right place`,
      { seeds: Seeds, pick: below(1000) },
      ({ seeds, pick }) => {
        const flowline = build(seeds)
        const pointer = mutate(flowline, pick)
        if (pointer === undefined) return
        const text = JSON.stringify(flowline, null, 2)
        const found = issues(text)
        expect(found.map((issue) => issue.pointer)).toContain(pointer)
        for (const { line, column } of found) {
          expect(line! > 0 && column! > 0 && line! <= text.split("\n").length).toBe(true)
        }
        const order = found.map(({ line, column }) => line! * 100_000 + column!)
        expect(order).toEqual([...order].sort((a, b) => a - b))
      },
      { arbitrary: { runs: 200 } }
    )
  }
})
