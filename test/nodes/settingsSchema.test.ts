import { Ajv2020 } from "ajv/dist/2020.js"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { catalogue, descriptor } from "../../src/nodes/Catalogue.ts"
import type { NodeType } from "../../src/nodes/Node.ts"
import { random, seed } from "../support/random.ts"
import { settingsSchema } from "./reference.ts"

const ajv = new Ajv2020({ strict: true, allErrors: true })

/** The two that judge settings: a validator of the node's JSON Schema, and the node's decoder. */
const judges = (node: NodeType) => {
  const valid = ajv.compile(descriptor(node).settings)
  const decode = Schema.decodeUnknownResult(node.settings, { onExcessProperty: "error" })
  return (settings: unknown) => ({ schema: valid(settings), decoder: Result.isSuccess(decode(settings)) })
}

const accepted = { schema: true, decoder: true }
const refused = { schema: false, decoder: false }

/** Texts of each kind that a setting can have, right ones and wrong ones. */
const texts = {
  zone: {
    right: ["UTC", "Z", "+02:00", "-0930", "+14", "Europe/Paris", "Etc/GMT+1", "CEST", "UTC+2", "EST5EDT", "gmt"],
    wrong: ["", "Europe Paris", "25:00", "2 hours", "%", "é", "/Paris", "Europe/Paris\n"]
  },
  format: {
    right: [
      "ISO8601",
      "UNIX",
      "UNIX_MS",
      "TAI64N",
      "yyyy-MM-dd'T'HH:mm:ss.SSSX",
      "dd/MMM/yyyy:HH:mm:ss Z",
      "h 'o''clock' a"
    ],
    wrong: ["", "yyyy-bb", "'yyyy'", "yyyy '", "iso", "::", "yyyy'T"]
  },
  path: {
    right: ["a", "out/a.csv", "samples/access*.log.gz", "a b/ü.txt", "**/x", ".hidden", "..a/...", "😀/x"],
    wrong: ["", "/a", "a//b", "../a", "a/..", "./a", "a/.", "C:/a", "a\\b", "a\nb", "a/", "\ud800", "x".repeat(1025)]
  },
  duration: {
    right: ["1s", "500ms", "5m", "2h", "1d", "000001s"],
    wrong: ["", "5", "1 s", "-1s", "1.5s", "5min", "1s ", "1234567890s", "s"]
  },
  field: {
    right: ["a", "a.b", "[a][b]", "a..constructor", "x[constructor]", "constructors", "proto", "a.b\nc"],
    wrong: ["__proto__", "a.constructor", "prototype.a", "[a][__proto__]", "[constructor]", "a.b.prototype"]
  },
  resource: { right: ["FILE:org.example:tool:1.0.0"], wrong: ["", "a", "a:b:c", "a::b:c", "a:b:c:d:e"] },
  locale: { right: ["fr", "de_AT", "pt-BR", "en_US.UTF-8", "de@euro"], wrong: ["", "f", "fr FR", "12", "de--AT"] },
  address: {
    right: ["http://127.0.0.1:8080/a?b=c#d", "https://example.org", "HTTP://EXAMPLE.ORG/@"],
    wrong: ["", "ftp://a", "http:", "//a", "http://user:word@a", "http://us@a/b", " http://a", "http://a b", "a"]
  },
  index: {
    right: ["mytenant-access", "mytenant-access-2026.11", "a-b"],
    wrong: ["", "access", "mytenant-", "mytenant-Access", "-a", "a b-c", `a-${"x".repeat(199)}`]
  },
  queryFormat: {
    right: ["epoch_millis", "dd/MM/yyyy HH:mm", "yyyy'x y'", "strict_date_optional_time", "uuuu'", "'yyyy'"],
    wrong: ["", "dd/MM", "yyyy b", "epoch", "iso"]
  },
  urlPath: { right: ["/", "/a/b"], wrong: ["", "a", "/a b", "/a?b", "/a#b"] },
  name: { right: ["a", "🙂"], wrong: [""] }
}
type Kind = keyof typeof texts

/** Settings that contain a kind of text, with a function that sets it. */
const places: ReadonlyArray<readonly [type: string, kind: Kind, put: (text: string) => object]> = [
  ["file_input", "path", (path) => ({ path })],
  ["file_input", "path", (registry) => ({ registry })],
  ["file_input", "resource", (resource) => ({ resource })],
  ["search_input", "name", (index) => ({ index })],
  ["search_input", "name", (field) => ({ fields: ["a", field] })],
  ["syslog_input", "name", (host) => ({ host })],
  ["http_input", "urlPath", (path) => ({ path })],
  ["flowlet", "path", (file) => ({ file })],
  ["csv", "field", (column) => ({ columns: ["a", column] })],
  ["csv", "format", (format) => ({ date_formats: [format] })],
  ["csv", "zone", (timezone) => ({ timezone })],
  ["date", "format", (format) => ({ formats: ["UNIX", format] })],
  ["date", "zone", (timezone) => ({ timezone })],
  ["date", "locale", (locale) => ({ locale })],
  ["deduplicate", "duration", (window) => ({ window })],
  ["join", "duration", (window) => ({ window })],
  ["join", "field", (target) => ({ target })],
  ["pii", "field", (field) => ({ fields: [field] })],
  ["sample", "field", (weight_field) => ({ weight_field })],
  ["mutate", "field", (field) => ({ operations: [{ rename: { a: field } }] })],
  ["mutate", "field", (field) => ({ operations: [{ set: { [field]: 1 } }] })],
  ["mutate", "field", (field) => ({ operations: [{ remove: ["a", field] }] })],
  ["enrich", "path", (path) => ({ path })],
  ["enrich", "resource", (resource) => ({ resource })],
  ["aggregate", "duration", (window) => ({ window })],
  ["aggregate", "duration", (slide) => ({ slide })],
  ["aggregate", "duration", (allowed_lateness) => ({ allowed_lateness })],
  ["aggregate", "field", (field) => ({ group_by: [field] })],
  ["aggregate", "field", (field) => ({ metrics: { [field]: { type: "count" } } })],
  ["file_output", "path", (path) => ({ path })],
  ["archive_output", "path", (entry) => ({ entry })],
  ["search_output", "index", (index) => ({ index })],
  ["extraction_output", "queryFormat", (format) => ({ fields: [{ name: "a", format }] })],
  ["http_output", "address", (url) => ({ url })],
  ...["dissect", "kv", "csv", "json", "date", "enrich"].map(
    (type) => [type, "field", (target: string) => ({ target })] as const
  ),
  ...["grok", "dissect", "kv", "csv", "json", "date"].flatMap((type) => [
    [type, "field", (field: string) => ({ remove_field: field })] as const,
    [type, "field", (field: string) => ({ remove_field: ["a", field] })] as const,
    // A computed name, so that `__proto__` is an own property.
    [type, "field", (field: string) => ({ add_field: { [field]: "x" } })] as const
  ])
]

const wrongSizes: ReadonlyArray<readonly [type: string, setting: string, values: ReadonlyArray<unknown>]> = [
  ["syslog_input", "max_message_bytes", [479, 1_048_577, 1000.5, "64KiB", null]],
  ["http_input", "max_body_bytes", [1023, 67_108_865, "4m", -1]],
  ["http_input", "ack_seconds", [0, 601, "30s"]],
  ["grok", "max_line_length", [0, 1_048_577, 1.5]],
  ["syslog_input", "port", [0, 65_536, "514"]],
  ["rate_limit", "records_per_second", [0, -1, 10_000_001, "1/s"]],
  ["http_output", "headers", [{ "a b": "c" }, { host: "x" }, { "": "a" }, { a: 1 }]]
]

const nodes = [...catalogue.values()]
const judgeOf = new Map(nodes.map((node) => [node.type, judges(node)]))

describe("the JSON Schema of settings", () => {
  it(`is one that a strict validator takes, for each of the ${nodes.length} nodes, and takes the example`, () => {
    expect(nodes.length).toBe(37)
    for (const { type, example } of nodes) {
      expect([type, judgeOf.get(type)!(example)]).toEqual([type, accepted])
      expect([type, judgeOf.get(type)!({ ...example, nowhere: 1 })]).toEqual([type, refused])
    }
  })

  it("takes the right texts of each kind and refuses the wrong ones, as the decoder does", () => {
    for (const [type, kind, put] of places) {
      const { example } = catalogue.get(type)!
      for (const [list, expected] of [
        [texts[kind].right, accepted],
        [texts[kind].wrong, refused]
      ] as const) {
        for (const text of list) {
          const settings = { ...example, ...put(text) }
          expect([type, settings, judgeOf.get(type)!(settings)]).toEqual([type, settings, expected])
        }
      }
    }
    for (const [type, setting, values] of wrongSizes) {
      for (const value of values) {
        const settings = { ...catalogue.get(type)!.example, [setting]: value }
        expect([type, settings, judgeOf.get(type)!(settings)]).toEqual([type, settings, refused])
      }
    }
  })

  it("takes all that the decoder takes, and no other number, choice or shape", () => {
    const { below } = random()
    const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
    const words = Object.values(texts).flatMap(({ right, wrong }) => [...right, ...wrong])
    const junk = (): unknown =>
      pick<() => unknown>([
        () => pick(words),
        () => pick([null, true, false, 0, 1, -1, 0.5, 1e9, 2 ** 53]),
        () => Array.from({ length: below(3) }, junk),
        () => Object.fromEntries(Array.from({ length: below(3) }, () => [pick(words), junk()]))
      ])()
    type Part = ReturnType<typeof settingsSchema>
    /** Values of a schema, and values just beyond its limits. */
    const near = (schema: Part): unknown => {
      const parts = [schema, ...(schema.allOf ?? [])]
      const numbers = parts.flatMap(({ minimum, maximum }) => [minimum, maximum].filter((limit) => limit !== undefined))
      if (schema.anyOf !== undefined && below(4) > 0) return near(pick(schema.anyOf))
      if (schema.enum !== undefined && below(4) > 0) return pick(schema.enum)
      if (numbers.length > 0 && below(4) > 0) return pick(numbers) + pick([-1, 0, 0, 0.5, 1])
      if (schema.items !== undefined && below(4) > 0) {
        return Array.from({ length: below(4) }, () => near(schema.items!))
      }
      if (schema.type === "boolean" && below(4) > 0) return below(2) === 0
      if (schema.type === "string" && below(4) > 0) return pick(words)
      return junk()
    }
    /** Whether a value has texts that are not choices: of some texts a pattern cannot tell all. */
    const hasText = (value: unknown): boolean =>
      typeof value === "string" ||
      (typeof value === "object" &&
        value !== null &&
        (Object.values(value).some(hasText) || Object.keys(value).length > 0))
    const counts = { both: 0, neither: 0, decoderAlone: 0, schemaAlone: 0 }
    for (const node of nodes) {
      const { properties = {}, required = [] } = settingsSchema(node)
      const names = Object.keys(properties)
      for (let at = 0; at < 400; at++) {
        const name = pick(names)
        const value = near(properties[name]!)
        const settings = { ...Object.fromEntries(required.map((one) => [one, node.example[one]])), [name]: value }
        const { schema, decoder } = judgeOf.get(node.type)!(settings)
        counts[decoder ? (schema ? "both" : "decoderAlone") : schema ? "schemaAlone" : "neither"]++
        const told = [seed, node.type, settings]
        if (decoder) expect([...told, schema]).toEqual([...told, true])
        if (schema && !hasText(value)) expect([...told, decoder]).toEqual([...told, true])
      }
    }
    expect(counts.both).toBeGreaterThan(2000)
    expect(counts.neither).toBeGreaterThan(2000)
    expect(counts.schemaAlone).toBeLessThan(counts.both / 4)
  })
})
