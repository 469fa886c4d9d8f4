import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exampleConf, gateway, memoryGateway } from "../support/gateway.ts"
import { save, tryOut } from "./trying.ts"

/** A row of nodes behind lines of a file, and an output that writes everything. */
const row = (nodes: ReadonlyArray<readonly [type: string, settings: string]>, output = "{ type: show") => {
  const names = ["in", ...nodes.map((_, at) => `n${at}`)]
  const dag = [
    `  - { type: file_input, component: in, settings: { path: a.log }, publish: [{ stream: out }] }`,
    ...nodes.map(
      ([type, settings], at) =>
        `  - type: ${type}\n    component: n${at}\n    settings: ${settings}\n` +
        `    subscribe: [{ component: ${names[at]}, stream: out }]\n    publish: [{ stream: out }]`
    ),
    `  - ${output}, component: last, subscribe: [{ component: ${names.at(-1)}, stream: out }] }`
  ]
  return `runtime: stream\ndag:\n${dag.join("\n")}\n`
}

const warningsOf = (file: string, name?: string) =>
  Effect.map(save(file, "", name), ({ status, body }) => {
    expect({ status, body }).toMatchObject({ status: 200 })
    return (body["warnings"] ?? []) as ReadonlyArray<string>
  })

const cannot = (component: string, field: string, meant?: string) =>
  `${component}: no record that comes here can have the field "${field}"` +
  (meant === undefined ? "" : `; did you mean "${meant}"?`)

const access = ["grok", "{ patterns: ['%{COMBINEDAPACHELOG}'] }"] as const

layer(memoryGateway(), { excludeTestServices: true })("fields that cannot exist", (it) => {
  it.effect.each<[string, string, ReadonlyArray<string>]>([
    [
      "a condition",
      row([access, ["filter", "{ where: 'exists(verb) and respnse >= 500 and [agent] != null' }"]]),
      [`line 11, column 42: ${cannot("n1", "respnse", "response")}`]
    ],
    [
      "columns of an output",
      row([access], "{ type: file_output, settings: { path: a.csv, columns: [clientip, statsu, bytes] }"),
      [expect.stringContaining(cannot("last", "statsu"))]
    ],
    [
      "what a dissect pattern, a csv and a kv add",
      row([
        ["dissect", "{ pattern: '%{time} %{+time} %{level} %{?skipped} %{rest}' }"],
        ["csv", "{ field: rest, columns: [user, bytes] }"],
        ["kv", "{ field: user, include_keys: [id], prefix: u_ }"],
        ["filter", "{ where: 'time == 1 and level == 2 and user == 3 and bytes == 4 and u_id == 5 and skipped == 6' }"]
      ]),
      [expect.stringContaining(cannot("n3", "skipped"))]
    ],
    [
      "what mutate renames and removes",
      row([
        access,
        [
          "mutate",
          "{ operations: [{ rename: { clientip: source.ip } }, { remove: [verb] }, { lowercase: [clientip] }] }"
        ],
        ["filter", "{ where: 'clientip == 1 and source.ip == 2 and source == 3 and verb == 4' }"]
      ]),
      [expect.stringContaining(cannot("n2", "clientip")), expect.stringContaining(cannot("n2", "verb"))]
    ],
    [
      "what an aggregation leaves",
      row([
        access,
        ["date", '{ field: timestamp, formats: ["dd/MMM/yyyy:HH:mm:ss Z"] }'],
        [
          "aggregate",
          "{ window: 1m, group_by: [verb], metrics: { count: { type: count }, sum: { type: sum, field: byte } } }"
        ],
        ["filter", "{ where: 'count > 1 and sum > 2 and window.start != 3 and verb == 4 and response == 5' }"]
      ]),
      [expect.stringContaining(cannot("n2", "byte", "bytes")), expect.stringContaining(cannot("n3", "response"))]
    ],
    [
      "elements of lists, of which any may be there",
      row([
        access,
        [
          "aggregate",
          "{ window: 1m, time_field: timestamp, group_by: ['[auth][0]', '[auth][1]'], metrics: { n: { type: count } } }"
        ],
        [
          "mutate",
          "{ operations: [{ uppercase: ['[auth][-1]'] }, { remove: [auth.0, auth.1] }, { keep: [auth.-2] }] }"
        ],
        ["mutate", "{ operations: [{ uppercase: ['[auth][0]', auth.-1.name, auth, verb.0] }] }"]
      ]),
      [expect.stringContaining(cannot("n3", "verb.0"))]
    ],
    [
      "the errors of a node",
      `runtime: stream
dag:
  - { type: file_input, component: in, settings: { path: a.log }, publish: [{ stream: out }] }
  - { type: grok, component: parse, settings: { patterns: ['%{IP:client}'] }, subscribe: [{ component: in, stream: out }], publish: [{ stream: errors }] }
  - { type: filter, component: some, settings: { where: 'error.reason == 1 and message == 2 and tags == 3 and client == 4' }, subscribe: [{ component: parse, stream: errors }], publish: [{ stream: out }] }
  - { type: show, subscribe: [{ component: some, stream: out }] }
`,
      [expect.stringContaining(cannot("some", "client"))]
    ]
  ])("are warned of: %s", ([, file, expected]) =>
    Effect.gen(function* () {
      expect(yield* warningsOf(file)).toEqual(expected)
    })
  )

  it.effect.each<[string, string]>([
    [
      "json",
      row([
        ["json", "{}"],
        ["filter", "{ where: anything == 1 }"]
      ])
    ],
    [
      "a json below a field",
      row([
        ["json", "{ target: payload }"],
        ["filter", "{ where: payload.a.b == 1 }"]
      ])
    ],
    [
      "a program",
      row([
        ["flowlet", "{ code: 'event.x = 1; return event' }"],
        ["filter", "{ where: y == 1 }"]
      ])
    ],
    [
      "kv",
      row([
        ["kv", "{}"],
        ["filter", "{ where: y == 1 }"]
      ])
    ],
    [
      "csv without columns",
      row([
        ["csv", "{}"],
        ["filter", "{ where: column1 == 1 }"]
      ])
    ],
    [
      "dynamic names",
      row([
        ["dissect", "{ pattern: '%{*k} %{&k}' }"],
        ["filter", "{ where: y == 1 }"]
      ])
    ],
    [
      "added fields",
      row([
        ["kv", '{ include_keys: [a], add_field: { "%{a}": x } }'],
        ["filter", "{ where: y == 1 }"]
      ])
    ],
    ["an ndjson file", row([["filter", "{ where: y == 1 }"]]).replace("a.log", "a.ndjson")],
    [
      "conditional changes",
      row([
        ["mutate", "{ operations: [{ remove: [message], where: 'message == 1' }] }"],
        ["filter", "{ where: message == 1 }"]
      ])
    ],
    [
      "what one operation makes for the next",
      row([["mutate", "{ operations: [{ set: { a: 1 } }, { convert: { a: string } }] }"]])
    ],
    [
      "missing fields that are allowed",
      row([["date", "{ field: nothing, ignore_missing: true, formats: [ISO8601] }"]])
    ],
    ["lists", row([access, ["filter", `{ where: 'verb in ["GET"] or verb in ["PUT", "X"] or event.verb == 1' }`]])],
    ["sources of records", row([["filter", "{ where: _source.file != null and tags != null }"]])]
  ])("are not suspected behind %s", ([, file]) =>
    Effect.gen(function* () {
      expect(yield* warningsOf(file)).toEqual([])
    })
  )

  const open = (kind: "param" | "var" | "secret", name: string) => `\${${kind}:${name}}`
  const declared = (file: string) => `parameters: { least: { type: integer }, name: { type: string } }\n${file}`
  it.effect("are warned of before a setting that only an execution knows, and not in it or behind it", () =>
    Effect.gen(function* () {
      const behind = ["filter", "{ where: respnse >= 500 }"] as const
      for (const value of [open("param", "name"), open("var", "NAME")]) {
        const file = declared(row([access, behind, ["grok", `{ patterns: ['${value}'], field: agnet }`], behind]))
        const warnings = (yield* warningsOf(file)).filter((text) => text.includes("no record"))
        expect(warnings).toEqual([expect.stringContaining(cannot("n1", "respnse", "response"))])
      }
      // What does not decide over fields is open too: the fields of this input depend on the name of its file.
      const path = row([access, behind]).replace("a.log", `"${open("param", "name")}"`)
      expect(yield* warningsOf(declared(path))).toEqual([])
      // Another branch knows its fields, and so do records beside which others come.
      const branches = row([access, ["filter", `{ where: 'response >= ${open("param", "least")}' }`], behind])
      const more = `  - { type: filter, component: other, settings: { where: statsu == 1 }, subscribe: [{ component: n0, stream: out }], publish: [{ stream: out }] }
  - { type: filter, component: both, settings: { where: statsu == 1 }, subscribe: [{ component: n0, stream: out }, { component: n1, stream: out }], publish: [{ stream: out }] }
  - { type: show, component: end, subscribe: [{ component: other, stream: out }, { component: both, stream: out }] }
`
      expect(yield* warningsOf(declared(branches + more))).toEqual([expect.stringContaining(cannot("other", "statsu"))])
      // Memory has no fields, and secrets stand in no setting that names some.
      const output = `{ type: http_output, settings: { url: '${open("secret", "URL")}' }`
      const whole = `settings: { timeout_seconds: "${open("param", "least")}" }\n${row([access, behind], output)}`
      expect((yield* warningsOf(declared(whole))).filter((text) => text.includes("no record"))).toEqual([
        expect.stringContaining(cannot("n1", "respnse", "response"))
      ])
    })
  )

  it.effect("are in no example", () =>
    Effect.gen(function* () {
      const folder = join(exampleConf, "tenants/mytenant/flowlines")
      for (const name of readdirSync(folder)) {
        const warnings = yield* warningsOf(readFileSync(join(folder, name), "utf8"), name)
        expect([name, warnings.filter((text) => text.includes("no record"))]).toEqual([name, []])
      }
    })
  )
})

layer(gateway(), { excludeTestServices: true })("fields behind SQL, and of large files", (it) => {
  it.effect("are known by what DuckDB says", () =>
    Effect.gen(function* () {
      const file = (columns: string) => `runtime: analytics
dag:
  - { type: file_input, component: codes, settings: { path: resources/http-status.csv }, publish: [{ stream: out }] }
  - { type: sql, component: count, settings: { statement: "SELECT count(*) AS number, 1 AS one FROM codes" }, subscribe: [{ component: codes, stream: out }], publish: [{ stream: out }] }
  - { type: archive_output, settings: { entry: a.csv, columns: ${columns} }, subscribe: [{ component: count, stream: out }] }
`
      expect(yield* warningsOf(file("[number, one]"))).toEqual([])
      expect(yield* warningsOf(file("[nubmer]"))).toEqual([
        `line 5, column 65: ${cannot("archive_output", "nubmer", "number")}`
      ])
    })
  )

  it.effect("are not suspected behind SQL on records that only an execution knows", () =>
    Effect.gen(function* () {
      const file = (columns: string) => `runtime: analytics
parameters: { name: { type: string } }
dag:
  - { type: file_input, component: fixed, settings: { path: resources/http-status.csv }, publish: [{ stream: out }] }
  - { type: sql, component: named, settings: { statement: "SELECT 1 AS \${param:name} FROM fixed" }, subscribe: [{ component: fixed, stream: out }], publish: [{ stream: out }] }
  - { type: sql, component: any, settings: { statement: "SELECT * FROM named" }, subscribe: [{ component: named, stream: out }], publish: [{ stream: out }] }
  - { type: sql, component: one, settings: { statement: "SELECT 1 AS one FROM fixed" }, subscribe: [{ component: fixed, stream: out }], publish: [{ stream: out }] }
  - { type: archive_output, component: a, settings: { entry: a.csv, columns: ${columns} }, subscribe: [{ component: any, stream: out }] }
  - { type: archive_output, component: b, settings: { entry: b.csv, columns: ${columns} }, subscribe: [{ component: one, stream: out }] }
`
      expect(yield* warningsOf(file("[one]"))).toEqual([])
      expect(yield* warningsOf(file("[noe]"))).toEqual([expect.stringContaining(cannot("b", "noe", "one"))])
    })
  )

  it.effect("are found in a file that a thread decodes", () =>
    Effect.gen(function* () {
      const file = `# ${"x".repeat(40_000)}\n${row([access, ["filter", "{ where: respnse >= 500 }"]])}`
      expect(yield* warningsOf(file)).toEqual([
        expect.stringContaining(`line 12, column 24: ${cannot("n1", "respnse", "response")}`)
      ])
    })
  )

  it.effect("are unreferenced in a try when nothing after them uses them", () =>
    Effect.gen(function* () {
      const line = '1.2.3.4 - ann [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "r" "a"'
      const csv = row(
        [access, ["filter", "{ where: response >= 200 }"]],
        "{ type: file_output, settings: { path: a.csv, columns: [clientip, bytes] }"
      )
      const { unreferenced } = yield* tryOut(csv, { sample: line })
      const fields = unreferenced.map(({ component, field }) => `${component}.${field}`)
      expect(fields).toContain("n0.agent")
      expect(fields).toContain("n0.ident")
      expect(fields.filter((field) => /clientip|bytes|response|message/.test(field))).toEqual([])
      const whole = yield* tryOut(row([access]), { sample: line })
      expect(whole.unreferenced).toEqual([])
    })
  )
})
