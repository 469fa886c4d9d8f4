import { createHash } from "node:crypto"
import { assert, layer, type Vitest } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { ended, flowlineForm, gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

const documents = [
  { "@timestamp": "2026-03-10T14:00:00.123456Z", user: "ann", n: 1, "a.b": { c: [1, 2] }, note: '=SUM(A1), "x"' },
  { "@timestamp": "2026-03-10T15:00:00+01:00", user: "bob\nnew", n: -5, nested: { at: 1_773_151_947_000, x: true } },
  { user: "cleo", note: "-1.5e3" },
  { user: "dora", n: "12345678901234567890", note: null }
]

const fill = (
  index: string,
  messages: ReadonlyArray<{ readonly user: string; readonly [field: string]: unknown }> = documents
) =>
  Effect.flatMap(Search, (search) =>
    search.write(
      "mytenant",
      index,
      messages.map((source) => ({ id: source.user, source }))
    )
  )

const post = (body: unknown, headers: Record<string, string> = {}) =>
  Effect.flatMap(
    raw("/v1/mytenant/extraction", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    }),
    (response) =>
      Effect.promise(async () => ({ status: response.status, body: JSON.parse(await response.text()) as Answer }))
  )

interface Answer {
  readonly index: string
  readonly id: string
  readonly tenant: string
  readonly execution: string
  readonly archive: string
  readonly issues?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
}

/** Runs an extraction to its end; returns the files of its archive. */
const extracted = (request: object) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const { status, body } = yield* post(request)
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.deepInclude(body, { index: "mytenant-flowlines", tenant: "mytenant", archive: body.execution })
    const ended = yield* Effect.promise(() => tenantOf(url).ended(body.execution))
    assert.strictEqual(ended.error, null)
    const answer = yield* raw(`/v1/mytenant/archives/${body.archive}`)
    const files = unzip(Buffer.from(yield* Effect.promise(() => answer.arrayBuffer())))
    const [data, manifest] = files
    const told = JSON.parse(manifest?.bytes.toString() ?? "")
    const detail = yield* Effect.promise(() =>
      tenantOf(url).get<{ readonly nodes: ReadonlyArray<object> }>(`flowline/${body.id}/executions/${body.execution}`)
    )
    assert.deepInclude(detail.nodes[0], { component: "search_input", recordsOut: told.rows, total: told.rows })
    assert.strictEqual(told.sha256, createHash("sha256").update(data!.bytes).digest("hex"))
    return { names: files.map(({ name }) => name), text: data!.bytes.toString(), manifest: told }
  })

const fields = [
  { name: "@timestamp", type: "date", label: "not known" },
  { name: "user", type: "string" },
  { name: "n" },
  { name: "a.b.c" },
  { name: "nested.at", type: "date" },
  { name: "note" }
]

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("is a csv file with the fields in the order of the request", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-csv")
      const { names, text, manifest } = yield* extracted({
        description: "all of it",
        format: "csv",
        index: "mytenant-cs*",
        fields,
        filters: {},
        tenant: "mytenant"
      })
      assert.deepStrictEqual(names, ["data.csv", "manifest.json"])
      assert.deepStrictEqual(text.split("\r\n"), [
        "@timestamp,user,n,a.b.c,nested.at,note",
        '2026-03-10T14:00:00.000Z,"bob\nnew",-5,,2026-03-10T14:12:27.000Z,',
        '2026-03-10T14:00:00.123456Z,ann,1,"[1,2]",,"\'=SUM(A1), ""x"""',
        ",cleo,,,,-1.5e3",
        ",dora,12345678901234567890,,,",
        ""
      ])
      assert.deepInclude(manifest, { rows: 4, format: "csv", query: {}, indices: ["mytenant-csv"] })
    })
  )

  it.effect("has lists and objects as JSON without blanks, and texts as they are", () =>
    Effect.gen(function* () {
      const list = ["a, b", 'c: "d, e"', "\\", '\\", x']
      yield* fill("mytenant-nested", [
        { user: "1", v: list, o: { a: { b: 1, "c, d": [true, null] } }, l: [{ x: "p, q" }, { x: ["r"] }] },
        { user: "2", v: '["a, b", {"c": 1}]', o: '{"a": 1}', l: [] },
        { user: "3", v: [], o: {}, l: { x: 5 } }
      ])
      const names = ["user", "v", "o", "l.x", "l.0", "l"]
      const request = { format: "csv", index: "mytenant-nested", fields: names.map((name) => ({ name })) }
      const { text } = yield* extracted(request)
      const rows: ReadonlyArray<ReadonlyArray<string>> = parse(text, { record_delimiter: "\r\n" })
      assert.deepStrictEqual(rows, [
        names,
        [
          "1",
          JSON.stringify(list),
          '{"a":{"b":1,"c, d":[true,null]}}',
          '["p, q","r"]',
          '{"x":"p, q"}',
          '[{"x":"p, q"},{"x":["r"]}]'
        ],
        ["2", '["a, b", {"c": 1}]', '{"a": 1}', "", "", "[]"],
        ["3", "[]", "{}", "5", "", '{"x":5}']
      ])
    })
  )

  it.effect("takes texts as they are, also those that would be references in a flowline", () =>
    Effect.gen(function* () {
      const note = `\${param:a} $\${param:a} \${var:b} \${secret:C} \${jndi:ldap://d} $& \${secret:c}`
      yield* fill("mytenant-texts", [{ user: "eve", note, [`\${var:n}`]: 1 }, { user: "fay" }])
      const fields = ["note", `\${var:n}`].map((name) => ({ name }))
      const filters = { term: { note } }
      const made = yield* extracted({ format: "csv", index: "mytenant-texts", fields, filters })
      assert.deepStrictEqual(parse(made.text), [fields.map(({ name }) => name), [note, "1"]])
      assert.deepInclude(made.manifest, { query: filters })
    })
  )

  it.effect("is a file of JSON, of whole documents or of fields", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-json")
      const filters = { bool: { must_not: [{ exists: { field: "@timestamp" } }] } }
      const whole = yield* extracted({ format: "json", index: "mytenant-json", filters })
      assert.deepStrictEqual(whole.names, ["data.ndjson", "manifest.json"])
      const lines = whole.text.trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        documents.slice(2)
      )
      assert.deepInclude(whole.manifest, { rows: 2, format: "json", fields: null, query: filters })
      const some = yield* extracted({
        format: "json",
        index: "mytenant-json",
        filters,
        fields: [{ name: "n", type: null }]
      })
      assert.strictEqual(some.text, '{}\n{"n":"12345678901234567890"}\n')
    })
  )

  it.effect("shows dates on the clock of a time zone, and finds its columns itself", () =>
    Effect.gen(function* () {
      yield* fill("mytenant-zone", [{ "@timestamp": "2026-07-01T22:30:00Z", user: "ann", o: { x: 1 } }])
      const zone = yield* extracted({
        format: "csv",
        index: "mytenant-zone",
        fields: [{ name: "@timestamp", type: "date" }],
        time_zone: "Europe/Paris"
      })
      assert.strictEqual(zone.text, "@timestamp\r\n2026-07-02T00:30:00.000+02:00\r\n")
      const formats = ["dd/MM/yyyy HH:mm:ss.SSS", "epoch_millis", "epoch_second", "yyyy-MM-dd'T'HHXXX", "iso8601"]
      const at = "2026-07-01T22:30:00Z"
      yield* fill("mytenant-formats", [{ user: "ann", ...Object.fromEntries(formats.map((_, n) => [`t${n}`, at])) }])
      const shown = yield* extracted({
        format: "csv",
        index: "mytenant-formats",
        fields: formats.map((format, n) => ({ name: `t${n}`, type: "date", format })),
        time_zone: "Europe/Paris"
      })
      assert.strictEqual(
        shown.text.split("\r\n")[1],
        "02/07/2026 00:30:00.000,1782945000000,1782945000,2026-07-02T00+02:00,2026-07-02T00:30:00.000+02:00"
      )
      const free = yield* extracted({ format: "csv", index: "mytenant-zone", fields: [] })
      assert.deepStrictEqual(free.text.split("\r\n")[0]?.replace("'@", "@").split(",").toSorted(), [
        "@timestamp",
        "o.x",
        "user"
      ])
    })
  )

  it.effect("of a pattern that stands for nothing is empty", () =>
    Effect.gen(function* () {
      const none = yield* extracted({ format: "csv", index: "other-*", fields: [{ name: "a" }, { name: "=b" }] })
      assert.strictEqual(none.text, "a,'=b\r\n")
      assert.deepInclude(none.manifest, { rows: 0, indices: [] })
    })
  )

  it.effect("is refused with all that is wrong", () =>
    Effect.gen(function* () {
      const pointers = (answer: { readonly body: Answer }) => answer.body.issues?.map(({ pointer }) => pointer)
      const many = yield* post({
        format: "csv",
        index: "mytenant-x",
        tenant: "other",
        filters: { term: { a: [] } },
        time_zone: "Mars"
      })
      assert.deepStrictEqual([many.status, pointers(many)], [400, ["/tenant", "/filters/term/a", "/time_zone"]])
      const formats = [
        { name: "a", format: 5 },
        { name: "a", type: "DATE", format: "QQQ" },
        { name: "a", type: "date", format: null }
      ]
      const format = yield* post({ format: "csv", index: "mytenant-x", fields: formats })
      assert.deepStrictEqual([format.status, pointers(format)], [400, ["/fields/1/format", "/fields/2/format"]])
      const shape = yield* post({ format: "xml", fields: [{ nam: 1 }] })
      assert.deepStrictEqual(
        [shape.status, pointers(shape)?.toSorted()],
        [400, ["/fields/0/name", "/format", "/index"]]
      )
      // Unknown parts of a client's list of fields are ignored. An invalid filter must not select everything.
      const misspelt = yield* post({
        format: "csv",
        index: "mytenant-x",
        filter: {},
        fields: [{ name: "a", label: 1 }]
      })
      assert.deepStrictEqual(
        [misspelt.status, misspelt.body.issues?.map(({ pointer, detail }) => [pointer, detail])],
        [400, [["/filter", 'There is no "filter" here; did you mean "filters"?']]]
      )
      for (const body of [undefined, "", "{", "null", "[]", "5"]) {
        assert.strictEqual((yield* post(body)).status, 400, String(body))
      }
      assert.strictEqual((yield* post(`{"a":"${"x".repeat(2 ** 20)}"}`)).status, 413)
      for (const index of ["mytenant-none", "other-logs", "mytenant"]) {
        assert.strictEqual((yield* post({ format: "csv", index })).status, 404, index)
      }
    })
  )

  it.effect("leaves no saved flowline behind, and can be seen, run again and removed by its id", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* fill("mytenant-again")
      const tenant = "mytenant"
      const before = yield* client.flowlines.list({ params: { tenant }, query: {} })
      const { body } = yield* post({ format: "json", index: "mytenant-again", fields: [{ name: "user" }] })
      const params = { tenant, id: body.id }
      assert.strictEqual((yield* ended(tenant, body.id, body.execution)).state, "SUCCEEDED")
      assert.deepStrictEqual(yield* client.flowlines.list({ params: { tenant }, query: {} }), before)
      assert.strictEqual((yield* client.flowlines.get({ params, query: {} })).id, body.id)
      const again = yield* client.flowlines.execute({ params, query: {} })
      assert.strictEqual((yield* ended(tenant, body.id, again.id)).state, "SUCCEEDED")
      const answer = yield* raw(`/v1/mytenant/archives/${again.id}`)
      const [data] = unzip(Buffer.from(yield* Effect.promise(() => answer.arrayBuffer())))
      assert.strictEqual(data?.bytes.toString().split("\n").length, documents.length + 1)
      const listed = yield* client.executions.listOf({ params, query: {} })
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        [body.execution, again.id]
      )
      // It is not a saved flowline: it has no versions to list, and none can be added.
      assert.strictEqual((yield* raw(`/v1/mytenant/flowline/${body.id}/versions`)).status, 404)
      const form = flowlineForm(JSON.stringify({ runtime: "stream", dag: [] }))
      const save = yield* raw(`/v1/mytenant/flowline/save?id=${body.id}`, { method: "POST", body: form })
      assert.strictEqual(save.status, 404)
      yield* client.flowlines.remove({ params })
      assert.strictEqual((yield* raw(`/v1/mytenant/flowline/${body.id}`)).status, 404)
      assert.strictEqual((yield* raw(`/v1/mytenant/flowline/${body.id}`, { method: "POST" })).status, 404)
    })
  )

  it.effect("is started once for an idempotency key", () =>
    Effect.gen(function* () {
      const request = { format: "csv", index: "mytenant-*", fields: [{ name: "a" }] }
      const first = yield* post(request, { "idempotency-key": "extract-once" })
      const second = yield* post(request, { "idempotency-key": "extract-once" })
      assert.deepStrictEqual(second.body, first.body)
      assert.strictEqual(
        (yield* post({ ...request, format: "json" }, { "idempotency-key": "extract-once" })).status,
        422
      )
    })
  )
}

layer(memoryGateway(), { excludeTestServices: true })("an extraction in memory", suite)
layer(gateway(), { excludeTestServices: true })("an extraction on PostgreSQL, disk and processes", suite)
