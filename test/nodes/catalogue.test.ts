import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import type { Need } from "../../src/nodes/Capabilities.ts"
import { catalogue, descriptor, needs, nodesOf } from "../../src/nodes/Catalogue.ts"
import { runtimes } from "../../src/protocol/Flowline.ts"
import { decode } from "../flowlines/read.ts"
import { reference, settingsSchema } from "./reference.ts"

/** The pages of the reference, and the nodes on each. */
const pages = {
  inputs: ["generator_input", "dataset_generator", "file_input", "syslog_input", "http_input", "trigger_input"],
  stores: ["search_input", "sql_input", "http_poll_input"],
  lines: ["grok", "dissect", "flowlet", "json"],
  fields: ["kv", "csv", "date"],
  shaping: ["mutate", "deduplicate", "sample", "sort", "join", "pii"],
  records: ["filter", "dispatch", "enrich", "geoip", "user_agent", "aggregate", "sql", "rate_limit"],
  outputs: ["show", "file_output", "archive_output", "search_output", "sql_output", "extraction_output", "http_output"]
}
const [begin, end] = ["<!-- nodes: generated from the catalogue -->\n", "<!-- end of nodes -->\n"]

describe("the catalogue", () => {
  it("knows which nodes reach the tenant's indices, and which use its grok patterns", () => {
    const needing = (need: Need) => [...catalogue.keys()].filter((type) => needs({ dag: [{ type }] }, need))
    expect(needing("search")).toEqual(["search_input", "enrich", "search_output", "extraction_output"])
    const enriching = (settings: object) => needs({ dag: [{ type: "enrich", settings }] }, "search")
    const [table, index] = [
      { field: "a", key: "b", path: "t.csv" },
      { field: "a", key: "b", index: "acme-a" }
    ]
    expect([enriching(table), enriching(index)]).toEqual([false, true])
    expect(needing("patterns")).toEqual(["grok", "flowlet", "filter"])
  })

  for (const node of catalogue.values()) {
    describe(node.type, () => {
      it("describes itself as the scan wants it", () => {
        const shape = descriptor(node)
        expect(Object.keys(shape)).toEqual([
          "type",
          "kind",
          "description",
          "runtimes",
          "settings",
          "inputs",
          "outputs",
          "source",
          "example"
        ])
        expect(shape).toMatchObject({ type: node.type, source: "builtin" })
        expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
        expect(shape.settings).toMatchObject({
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          additionalProperties: false
        })
      })

      it("describes every setting, under a name in snake_case", () => {
        const { properties = {} } = settingsSchema(node)
        const { fields = {} } = node.settings as { readonly fields?: object }
        expect(Object.keys(properties)).toEqual(Object.keys(fields))
        for (const [name, schema] of Object.entries(properties)) {
          expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
          expect(schema.description, name).toMatch(/\.$/)
        }
      })

      it("says the defaults that it has", () => {
        const { properties = {}, required = [] } = settingsSchema(node)
        const bare = Object.fromEntries(required.map((name) => [name, node.example[name]]))
        const decoded = Schema.decodeUnknownSync(node.settings)(bare)
        const defaults = Object.entries(properties).flatMap(([name, schema]) =>
          schema.default === undefined ? [] : [[name, schema.default]]
        )
        expect(decoded).toEqual({ ...bare, ...Object.fromEntries(defaults) })
      })

      it("has an example that can run", () => {
        for (const runtime of node.runtimes) {
          const source = runtime === "stream" ? "generator_input" : "dataset_generator"
          const input = {
            type: source,
            component: "in",
            settings: catalogue.get(source)!.example,
            publish: [{ stream: "s" }]
          }
          const own = {
            type: node.type,
            component: "own",
            settings: node.example,
            subscribe: node.inputs.min > 0 ? [{ component: "in", stream: "s" }] : [],
            publish: node.outputs.map((stream) => ({ stream: stream === "*" ? "records" : stream }))
          }
          const bytes = new TextEncoder().encode(JSON.stringify({ runtime, dag: [input, own] }))
          const result = decode({ bytes })
          expect(Result.isSuccess(result) ? [] : result.failure).toEqual([])
        }
      })
    })
  }

  it("has the built-in nodes of each runtime", () => {
    const all = ["dataset_generator", "file_input", "show", "file_output", "archive_output"]
    const names = runtimes.map((runtime) => nodesOf(runtime).map(({ type }) => type))
    expect(names[0]).toEqual(expect.arrayContaining(["generator_input", "grok", "dissect", "filter", ...all]))
    for (const batch of names.slice(1)) expect(batch).toEqual(expect.arrayContaining(all))
  })

  it("is on the pages of the reference, each node on one", () => {
    expect(Object.values(pages).flat().sort()).toEqual([...catalogue.keys()].sort())
  })

  it.each(Object.entries(pages))(
    "is what docs/nodes/%s.md says (update it with `npx vitest run test/nodes/catalogue.test.ts -u`)",
    async (name, types) => {
      const page = fileURLToPath(new URL(`../../docs/nodes/${name}.md`, import.meta.url))
      const text = readFileSync(page, "utf8")
      const [head, tail] = [text.split(begin)[0]!, text.split(end)[1]!]
      await expect(`${head}${begin}\n${reference(types)}\n${end}${tail}`).toMatchFileSnapshot(page)
    }
  )
})
