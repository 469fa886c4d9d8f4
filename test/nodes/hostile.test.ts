import { describe, expect, it } from "vitest"
import { catalogue } from "../../src/nodes/Catalogue.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { mmdb } from "../support/mmdb.ts"
import { Memory, process } from "./memory.ts"

const places = mmdb([["0.0.0.0/0", { country: { iso_code: "FR" } }]])

// Useless records of all kinds: every node accepts them, and each appears among its results or its failures.

const values: ReadonlyArray<unknown> = [
  null,
  5,
  1e300,
  true,
  {},
  { a: { b: [1, null, { c: "x" }] } },
  [],
  ["a", "b"],
  [[1]],
  "",
  " ",
  "\u0000",
  "\ud800",
  '{"a":',
  '{"__proto__":1}',
  'a=1 b="',
  '"unclosed',
  'a,"b',
  "2020-13-45T99:99:99Z",
  "9007199254740993",
  "NaN",
  "é€😀"
]
/** Longer than a sample may be: one record has it in the field that most nodes read, one in all fields. */
const long = "x".repeat(70_000)
const fields = ["message", "timestamp", "response", "@timestamp", "tags", "user.name", "bytes"]
const records: ReadonlyArray<Event> = [
  {},
  JSON.parse('{"__proto__":{"a":1},"message":"x","constructor":1}'),
  // The first field has every value by itself. The others have some of them by themselves, and all of them nested.
  ...fields.flatMap((field, at) =>
    values.filter((_, value) => at === 0 || value % 4 === at % 4).map((value) => ({ [field]: value }))
  ),
  { message: long },
  ...[...values, long].map((value) => Object.fromEntries(fields.map((field) => [field, value])))
]

/** The largest record is sent with few others, because a program receives the rest of a batch again in each turn. */
const batches = [records.slice(0, -3), records.slice(-3)]

/** Settings besides the examples: results that replace the input, in nested fields, or of other types. */
const more: Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>> = {
  grok: [
    {
      patterns: ["%{NUMBER:n:float} ?%{WORD:tags}", "%{DATA:message}"],
      add_tag: "x",
      add_field: { "[a][b]": "%{message}" },
      remove_field: ["user", "message"],
      target: "t.u"
    }
  ],
  dissect: [{ pattern: "%{a} %{+a}", target: "user.name" }],
  kv: [{ target: "message", prefix: "a." }, { field: "tags" }],
  json: [{ target: "message" }, { field: "tags" }, { target: "user.name" }],
  csv: [
    { columns: ["a", "b"], types: { a: "integer" }, target: "x.y" },
    { columns: ["message"], quote: "'" }
  ],
  date: [{ field: "message", formats: ["UNIX", "ISO8601", "yyyy"], target: "message", timezone: "Europe/Paris" }],
  filter: [{ where: 'message > 5 or tags[0] =~ "a" or length(message) > 2' }, { code: "event.message.length > 1" }],
  flowlet: ["event.x = event.message.a.b", "return [event, {}]", "return 5", "event.x = NaN"].map((code) => ({ code })),
  dispatch: [{ routes: [{ stream: "a", where: "message == null" }], default: "b", mode: "all" }],
  enrich: [
    { field: "message", path: "t.csv", key: "k", target: "message", on_missing: "errors" },
    { field: "message", path: "networks.csv", key: "net", match: "network" }
  ],
  geoip: [
    { field: "tags", path: "g.mmdb", on_missing: "errors" },
    { field: "message", path: "g.mmdb", target: "message" }
  ],
  user_agent: [
    { field: "message", on_missing: "errors" },
    { field: "tags", target: "user.name" }
  ],
  aggregate: [
    {
      window: "1m",
      time_field: "message",
      group_by: ["tags", "user.name"],
      metrics: {
        "window.start": { type: "sum", field: "bytes" },
        tags: { type: "distinct", field: "message" },
        a: { type: "first", field: "tags" }
      }
    }
  ],
  mutate: [
    {
      operations: [{ rename: { message: "t.u" } }, { copy: { "user.name": "message.a" } }, { keep: ["t", "user.name"] }]
    },
    { operations: [{ move: { fields: ["tags", "message"], to: "user" } }, { flatten: {} }, { expand: {} }] },
    { operations: [{ convert: { message: "integer", tags: "float", bytes: "string", response: "boolean" } }] },
    { operations: [{ split: { message: "x" } }, { join: { message: "" } }, { capitalize: ["tags"] }] },
    { operations: [{ replace: { fields: ["message", "tags"], pattern: "(?<c>.)?", with: "$<c>$1$&" } }] },
    { operations: [{ merge: { into: "tags", from: ["message", "bytes"] } }, { remove: ["user.name"] }] }
  ],
  deduplicate: [
    { key: ["message"], ignore_missing: true, window: "1m", time_field: "bytes" },
    { key: ["tags", "user.name"], max_keys: 1, max_bytes: 1024 }
  ],
  sample: [
    { probability: 0.5, key: ["message", "tags"], weight_field: "user.weight" },
    { rates: { NaN: 0.1, constructor: 1 }, rate_field: "message", weight_field: "message" },
    { every: 2, key: ["message"], max_keys: 2 }
  ],
  sort: [
    { by: [{ field: "message" }, { field: "tags", order: "descending" }] },
    { by: [{ field: "user.name" }], limit: 3 }
  ],
  pii: [
    { action: "truncate", fields: ["message", "user.name", "tags"] },
    { action: "redact", detect: ["email", "ipv4", "ipv6", "card", "iban", "phone"] }
  ],
  join: [
    {
      left: { where: "exists(tags)", key: ["message"] },
      right: { where: "true", key: ["message"] },
      window: "1d",
      time_field: "bytes",
      target: "user.name",
      max_bytes: 1024
    }
  ],
  rate_limit: [{ records_per_second: 10_000_000 }]
}

/** Nodes that make one record of each that does not fail. */
const oneToOne = new Set([
  "grok",
  "dissect",
  "kv",
  "json",
  "csv",
  "date",
  "enrich",
  "geoip",
  "user_agent",
  "mutate",
  "pii"
])

describe("hostile records", () => {
  for (const [type, node] of catalogue) {
    if (node.kind !== "processing" || !node.runtimes.includes("stream")) continue
    for (const settings of [node.example, ...(more[type] ?? [])]) {
      it(`are taken by ${type} ${JSON.stringify(settings).slice(0, 80)}`, async () => {
        expect(node.outputs).toContain("errors")
        const before = JSON.stringify(records)
        const table = {
          "t.csv": "k,v\n5,five\n",
          "networks.csv": "net,name\n::/0,all\n",
          "resources/http-status.csv": "status,text\n200,OK\n",
          "g.mmdb": [places],
          "resources/GeoLite2-City.mmdb": [places]
        }
        const streams = await process(node, settings, batches, new Memory(table))
        expect(JSON.stringify(records)).toBe(before)
        const results = [...streams].flatMap(([stream, made]) => (stream === "errors" ? [] : made))
        const failed = streams.get("errors") ?? []
        for (const record of [...results, ...failed])
          expect(Object.prototype.toString.call(record)).toBe("[object Object]")
        for (const { error } of failed) expect(error).toMatchObject({ node: "node", reason: expect.any(String) })
        if (oneToOne.has(type)) expect(results.length + failed.length).toBe(records.length)
      })
    }
  }
})
