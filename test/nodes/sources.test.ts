import { describe, expect, it } from "vitest"
import { catalogue, nodesOf } from "../../src/nodes/Catalogue.ts"
import type { Event } from "../../src/nodes/Node.ts"
import type { Outcomes } from "../../src/nodes/ports/Databases.ts"
import { sourceOf, withSources } from "../../src/nodes/records/Source.ts"
import { mmdb } from "../support/mmdb.ts"
import { Memory, process } from "./memory.ts"

type Given = Readonly<Record<string, unknown>>

/** Settings of a node, records that it passes on, and records that it fails. */
interface Case {
  readonly settings: Given
  readonly passes?: ReadonlyArray<Given>
  readonly fails?: ReadonlyArray<Given>
}

const message = (...texts: ReadonlyArray<string>): ReadonlyArray<Given> => texts.map((text) => ({ message: text }))
const decorated = { add_field: { "x.y": "1", z: "%{a}" }, remove_field: ["gone"], add_tag: ["t"], remove_tag: ["u"] }
const tagged = (text: string): Given => ({ message: text, gone: 1, tags: ["u", "v"] })

let deep: unknown = "x"
for (let level = 0; level < 300; level++) deep = [deep]

// What the outputs write to refuses everything.
const documents = {
  read: async function* () {},
  write: async (_: string, records: ReadonlyArray<unknown>) => ({
    rejected: records.map((_, at) => ({ at, reason: "refused" }))
  })
}
const table = {
  columns: ["message"],
  write: async (rows: ReadonlyArray<unknown>, outcomes: Outcomes) => {
    for (const at of rows.keys()) outcomes.set(at, "refused")
  }
}

/**
 * Cases for every node that receives records, so that each way of creating records is covered; or the reason why the
 * published records have no source.
 */
const cases: Readonly<Record<string, ReadonlyArray<Case> | string>> = {
  grok: [
    { settings: { patterns: ["^%{WORD:a} %{INT:b:int}$"] }, passes: message("ab 1", "cd 2"), fails: message("no") },
    // The field exists already, so that the captures are added to a copy.
    { settings: { patterns: ["^%{WORD:a} %{INT:b}$"] }, passes: [{ message: "ab 1", a: "x" }] },
    { settings: { patterns: ["^%{WORD:a}$"], target: "it" }, passes: message("ab") },
    { settings: { patterns: ["^%{WORD:a}$"], trace_match: true }, passes: message("ab") },
    { settings: { patterns: ["^%{WORD:a}$", "%{INT:b}"], break_on_match: false }, passes: message("7") },
    { settings: { match: { message: "^%{WORD:a}$", other: "^%{INT:b}$" } }, passes: message("ab") },
    { settings: { patterns: ["^%{WORD:_source}$"] }, passes: message("ab") },
    { settings: { patterns: ["^%{WORD:a}$"], ...decorated }, passes: [tagged("ab")], fails: [tagged("a b")] },
    { settings: { patterns: ["^%{WORD:a}$"], ignore_missing: true }, passes: [{ other: 1 }] },
    { settings: { patterns: ["^%{WORD:a}$"], max_line_length: 3 }, fails: message("abcd") }
  ],
  dissect: [
    { settings: { pattern: "%{a} %{b}" }, passes: message("ab 1"), fails: message("no") },
    { settings: { pattern: "%{a} %{_source}" }, passes: message("ab 1") },
    { settings: { pattern: "%{a->} %{+a} %{?b}", target: "it" }, passes: message("ab  1 2") },
    { settings: { pattern: "%{a} %{b}", ...decorated }, passes: [tagged("ab 1")], fails: [tagged("no")] }
  ],
  json: [
    { settings: {}, passes: message('{"a":1}', '{"_source":{"file":"other"}}'), fails: message("no", "1") },
    { settings: { target: "it", ...decorated }, passes: [tagged("[1]")] }
  ],
  csv: [
    {
      settings: { columns: ["a", "b"], types: { b: "integer" } },
      passes: message("x,1", "y,2"),
      fails: message("x", "x,y")
    },
    { settings: { columns: ["a.b", "_source"] }, passes: message("x,1") },
    { settings: { columns: ["a"], target: "it", ...decorated }, passes: [tagged("x")] },
    { settings: { autogenerate_column_names: true }, passes: message("x,y") }
  ],
  kv: [
    // From the fourth on, a known shape reads them.
    { settings: {}, passes: message(...Array.from({ length: 8 }, (_, n) => `a=${n} b=${n}`)) },
    { settings: {}, passes: message("no pairs", "_source=1", "a=1 a=2") },
    { settings: { target: "it", ...decorated }, passes: [tagged("a=1")], fails: [{ other: 1 }] }
  ],
  date: [
    {
      settings: { field: "message", formats: ["ISO8601"] },
      passes: message("2026-01-02T03:04:05Z"),
      fails: message("no")
    },
    { settings: { field: "message", target: "a.b", formats: ["UNIX"], ...decorated }, passes: [tagged("1")] }
  ],
  mutate: [
    {
      settings: { operations: [{ convert: { message: "integer" } }] },
      passes: message("1", "2"),
      fails: message("no")
    },
    // Members are removed; from the second record on by generated code.
    { settings: { operations: [{ rename: { message: "it" } }] }, passes: message("a", "b", "c") },
    { settings: { operations: [{ remove: ["a"] }, { set: { b: 1 } }] }, passes: [{ a: 1, c: 2 }, { a: 1 }, {}] },
    { settings: { operations: [{ keep: ["message", "_source"] }] }, passes: [{ message: "a", b: 1 }] },
    { settings: { operations: [{ flatten: { separator: "." } }] }, passes: [{ a: { b: { c: 1 } } }] },
    { settings: { operations: [{ expand: { separator: "." } }] }, passes: [{ "a.b.c": 1 }] },
    {
      settings: {
        operations: [
          { copy: { message: "a.b" } },
          { move: { fields: ["a"], to: "c" } },
          { default: { d: "%{message}" } },
          { split: { message: "," } },
          { merge: { into: "m", from: ["message"] } },
          { join: { message: ";" } },
          { uppercase: ["message"] },
          { replace: { fields: ["message"], pattern: "A", with: "b" } }
        ]
      },
      passes: message("a,b")
    }
  ],
  flowlet: [
    {
      settings: {
        code: "function process(event) { if (event.message === 'no') throw 'no'; return [{ a: 1 }, event] }"
      },
      passes: message("a", "b"),
      fails: message("no")
    },
    { settings: { code: "event.a = 1" }, passes: message("a") }
  ],
  filter: [
    { settings: { where: "message == 'a'" }, passes: message("a") },
    {
      settings: { code: "if (event.message === 'no') throw 'no'; return true" },
      passes: message("a"),
      fails: message("no")
    }
  ],
  dispatch: [{ settings: { routes: [{ stream: "*", where: "true" }] }, passes: message("a") }],
  deduplicate: [
    { settings: { key: ["message"] }, passes: message("a"), fails: [{ other: 1 }] },
    { settings: { key: ["message"], window: "1m", time_field: "at" }, fails: message("no time") }
  ],
  sample: [
    { settings: { every: 1, weight_field: "w.x" }, passes: message("a"), fails: [{ w: 1 }] },
    { settings: { every: 1 }, passes: message("a") }
  ],
  sort: [
    { settings: { by: [{ field: "message" }] }, passes: message("b", "a", "c") },
    { settings: { by: [{ field: "message" }], limit: 5 }, passes: message("b", "a") }
  ],
  // A pair has the source of its left side.
  join: [
    {
      settings: {
        left: { where: "side == 'l'", key: ["k"] },
        right: { where: "side == 'r'", key: ["k"] },
        kind: "left",
        window: "1m",
        time_field: "at"
      },
      passes: [
        { side: "l", k: 1, at: 0 },
        { side: "l", k: 2, at: 0 },
        { side: "r", k: 3, at: 0 }
      ],
      fails: [{ side: "neither" }, { side: "l" }, { side: "r", k: 1 }]
    }
  ],
  pii: [
    { settings: { action: "redact", fields: ["message", "a.b"] }, passes: [{ message: "x", a: { b: 1 } }] },
    { settings: { action: "mask", detect: ["email"] }, passes: message("me@example.com", "-"), fails: [{ deep }] },
    { settings: { action: "redact", fields: ["deep"] }, fails: [{ deep }] }
  ],
  enrich: [
    {
      settings: { field: "message", path: "t.csv", key: "k", on_missing: "errors" },
      passes: message("1"),
      fails: message("no")
    },
    { settings: { field: "message", path: "t.csv", key: "k", target: "it.x" }, passes: message("1", "no") }
  ],
  geoip: [
    {
      settings: { field: "message", path: "g.mmdb", on_missing: "errors" },
      passes: message("2.1.2.3"),
      fails: message("3.0.0.1")
    }
  ],
  user_agent: [
    { settings: { field: "message", on_missing: "errors" }, passes: message("curl/8.1"), fails: message("") },
    { settings: { field: "message" }, passes: message("") }
  ],
  rate_limit: [{ settings: { records_per_second: 1_000_000 }, passes: message("a") }],
  http_output: [{ settings: { url: "http://127.0.0.1/", id_field: "id" }, fails: message("a", "b") }],
  search_output: [{ settings: { index: "acme-a" }, fails: message("a") }],
  sql_output: [
    {
      settings: { url: "postgres://127.0.0.1/a", user: "u", table: "t", columns: { message: "message" } },
      fails: message("a")
    },
    { settings: { url: "postgres://127.0.0.1/a", user: "u", table: "t" }, fails: [{ message: "a", other: 1 }] }
  ],
  aggregate: "its records are made of several",
  sql: "its records are made by a statement, which names the columns",
  show: "it publishes nothing",
  file_output: "it publishes nothing",
  archive_output: "it publishes nothing",
  extraction_output: "it publishes nothing"
}

const place = (line: number) => ({ file: "a.log", line, offset: line * 10 })

class Surroundings extends Memory {
  override nodeContext(component: string) {
    const context = super.nodeContext(component)
    const nothing = () => Promise.reject(new Error("not here"))
    const answer = { status: 400, retryAfter: undefined, headers: {}, body: "" }
    return {
      ...context,
      documents: documents as never,
      network: { ...context.network, get: nothing, post: async () => answer as never },
      openDatabase: async () => ({ table: async () => table, close: async () => {} }) as never
    }
  }
}

const through = async (type: string, settings: Given, records: ReadonlyArray<Given>) => {
  const given = records.map((record, at): Event => ({ ...record, _source: place(at + 1) }))
  const memory = new Surroundings({
    "t.csv": "k,_source,v\n1,x,2\n",
    "g.mmdb": [mmdb([["2.0.0.0/8", { country: { iso_code: "FR" } }]])]
  })
  const events = withSources(given, "input", 0)
  return { events, streams: await process(catalogue.get(type)!, settings, [events], memory) }
}

/** The two origins of a record: the line that users see, and the place from which ids are made. */
const placesOf = (events: ReadonlyArray<Event>) =>
  events
    .map((event) => ({ shown: event["_source"], at: sourceOf(event)?.at }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))

describe("where a record is from", () => {
  it("is looked at behind every node of the catalogue that receives records", () => {
    const receivers = [...catalogue.values()].filter(({ kind }) => kind !== "input").map(({ type }) => type)
    expect(Object.keys(cases).sort()).toEqual(receivers.sort())
    // test/analytics/lines.test.ts and test/pybatch/recordSources.test.ts cover the other runtimes.
    const elsewhere = [...nodesOf("analytics"), ...nodesOf("pybatch")].filter(({ kind }) => kind === "processing")
    expect(elsewhere.map(({ type }) => type)).toEqual(["sql"])
  })

  it("has a case of failing for every node that can fail a record", async () => {
    for (const [type, own] of Object.entries(cases)) {
      const { start, outputs } = catalogue.get(type)!
      if (typeof own === "string" || !outputs.includes("errors") || !/ailures/.test(start.toString())) continue
      expect(
        own.some(({ fails }) => fails !== undefined),
        type
      ).toBe(true)
    }
  })

  for (const [type, own] of Object.entries(cases)) {
    if (typeof own === "string") continue
    for (const { settings, passes = [], fails = [] } of own) {
      it(`survives ${type} ${JSON.stringify(settings).slice(0, 90)}`, async () => {
        const { events, streams } = await through(type, settings, [...passes, ...fails])
        const errors = streams.get("errors") ?? []
        const records = [...streams].flatMap(([stream, batch]) => (stream === "errors" ? [] : batch))
        expect(errors.map(({ error }) => error)).toHaveLength(fails.length)
        const wanted = placesOf(events)
        // A program may make several records of one.
        const passed = new Map(placesOf(records).map((one) => [JSON.stringify(one), one]))
        expect([...passed.values()]).toEqual(wanted.slice(0, passes.length))
        expect(placesOf(errors)).toEqual(wanted.slice(passes.length))
      })
    }
  }
})
