import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi, type OpenApi } from "effect/http-api"
import { Api } from "../src/Api.ts"
import { additions } from "./support/additions.ts"
import { ended, flowlineForm, gateway, raw, TestGateway } from "./support/gateway.ts"

/** A row of the contract: its number, method, path, success status, other statuses, media type of the success. */
type Row = readonly [
  number: number,
  method: "get" | "post" | "put" | "delete",
  path: string,
  success: number,
  others: ReadonlyArray<number>,
  type?: string
]

const rows: ReadonlyArray<Row> = [
  [1, "get", "/v1/platform/properties", 200, []],
  [2, "get", "/v1/platform/tenant", 200, []],
  [3, "post", "/v1/flower/{operator}", 200, [404, 500]],
  [4, "delete", "/v1/{tenant}/archives", 200, []],
  [5, "get", "/v1/{tenant}/archives/{id}", 200, [404], "application/zip"],
  [6, "delete", "/v1/{tenant}/archives/{id}", 204, [404]],
  [7, "get", "/v1/{tenant}/channels", 200, []],
  [8, "get", "/v1/{tenant}/channels/{channel}", 200, [404]],
  // 204 answers a stop.
  [9, "post", "/v1/{tenant}/channels/{channel}/{action}", 201, [204, 404]],
  [10, "get", "/v1/{tenant}/conf", 200, []],
  [11, "get", "/v1/{tenant}/conf/{path}", 200, [400, 404], "application/octet-stream"],
  [12, "post", "/v1/{tenant}/extraction", 200, [400]],
  [13, "get", "/v1/{tenant}/flowline", 200, []],
  [14, "post", "/v1/{tenant}/flowline/save", 200, [400]],
  [15, "post", "/v1/{tenant}/flowline", 200, [400]],
  [16, "get", "/v1/{tenant}/flowline/executions", 200, []],
  [17, "get", "/v1/{tenant}/flowline/executions/{id}", 200, [404]],
  [18, "get", "/v1/{tenant}/flowline/executions/{id}/events", 200, [404]],
  [19, "get", "/v1/{tenant}/flowline/executions/{id}/output", 200, [404]],
  [20, "get", "/v1/{tenant}/flowline/{flowlineId}/executions/{executionId}", 200, [404]],
  [21, "get", "/v1/{tenant}/flowline/scan/analytics", 200, []],
  [22, "get", "/v1/{tenant}/flowline/scan/pybatch", 200, []],
  [23, "get", "/v1/{tenant}/flowline/scan/stream", 200, []],
  [24, "get", "/v1/{tenant}/flowline/scan", 200, []],
  [25, "delete", "/v1/{tenant}/flowline/scan/reset", 200, []],
  [26, "get", "/v1/{tenant}/flowline/{id}", 200, [404]],
  [27, "post", "/v1/{tenant}/flowline/{id}", 200, [404]],
  [28, "delete", "/v1/{tenant}/flowline/{id}", 201, [404]],
  [29, "get", "/v1/{tenant}/resources/list", 200, []],
  [30, "put", "/v1/{tenant}/resources/upload", 201, [504]],
  [31, "get", "/v1/{tenant}/resources/metadata", 200, [404]],
  [32, "delete", "/v1/{tenant}/resources/delete", 200, [404]],
  [33, "put", "/v1/{tenant}/resources/copy/{name}", 201, [404, 504]],
  [34, "put", "/v1/{tenant}/resources/move/{name}", 201, [404, 504]],
  [35, "put", "/v1/{tenant}/resources/register/{name}", 200, [404, 422]],
  [36, "get", "/v1/{tenant}/resources/types", 200, []],
  [37, "get", "/v1/{tenant}/registry", 200, [404]],
  [38, "post", "/v1/{tenant}/registry", 200, [500]],
  [39, "get", "/v1/{tenant}/registry/download/{path}", 200, [404], "application/octet-stream"],
  [40, "get", "/v1/{tenant}/registry/metadata/{path}", 200, [404]],
  [41, "get", "/v1/{tenant}/documentation/{page}", 200, [404], "text/markdown"]
]

/** The status of a partial download, for a request with `Range`. */
const partial = 206

const flowline = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: archive_output, subscribe: [ { component: generator_input, stream: out } ] }
`

layer(gateway(), { excludeTestServices: true })("contract", (it) => {
  it.effect("is described by OpenAPI, row by row, with nothing else but the additions", () =>
    Effect.gen(function* () {
      const served = yield* raw("/openapi.json")
      const described = (yield* Effect.promise(() => served.json())) as ReturnType<typeof OpenApi.fromApi>
      const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
        Object.keys(methods ?? {}).map((method) => `${method} ${path}`)
      )
      expect(operations.sort()).toEqual([...rows.map(([, method, path]) => `${method} ${path}`), ...additions].sort())
      for (const [number, method, path, success, others, type] of rows) {
        const operation = described.paths[path as `/${string}`]?.[method]
        const responses = Object.keys(operation?.responses ?? {}).map(Number)
        expect([number, responses]).toEqual([number, expect.arrayContaining([success, ...others])])
        expect([
          number,
          responses.filter((status) => status < 300 && status !== partial && !others.includes(status))
        ]).toEqual([number, [success]])
        if (type !== undefined) expect(Object.keys(operation?.responses[success]?.content ?? {})).toContain(type)
        const declared = (operation?.parameters ?? []).filter((parameter) => parameter.in === "path")
        expect([number, declared.map((parameter) => parameter.name).sort()]).toEqual([
          number,
          [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort()
        ])
      }
    })
  )

  it.effect("declares every parameter that a path names", () =>
    Effect.sync(() => {
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => {
          const named = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
          const fields =
            endpoint.params === undefined ? [] : Object.keys((endpoint.params as { fields?: object }).fields ?? {})
          if (named.length > 0 && fields.length > 0) expect(fields.sort()).toEqual(named.sort())
          else expect(named.length === 0).toBe(endpoint.params === undefined)
        }
      })
    })
  )

  it.effect("is kept by the running gateway, row by row", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const tenant = "mytenant"
      const saved = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(flowline) })
      const { id: execution } = yield* client.flowlines.execute({ params: { tenant, id: saved.id }, query: {} })
      expect(yield* ended(tenant, saved.id, execution)).toMatchObject({ state: "SUCCEEDED", archive: execution })

      const test = (input: string, pattern: string) => {
        const form = new FormData()
        form.set("input", new Blob([input]), "input.log")
        form.set("pattern", new Blob([pattern]), "pattern.txt")
        return form
      }
      const statuses: Array<readonly [number, number, number, string]> = []
      const check = (number: number, method: string, path: string, expected: number, body?: FormData | string) =>
        Effect.gen(function* () {
          const headers = typeof body === "string" ? { "content-type": "application/json" } : {}
          const response = yield* raw(path, { method, headers, ...(body === undefined ? {} : { body }) })
          const text = yield* Effect.promise(() => response.text())
          statuses.push([number, expected, response.status, `${method} ${path} ${text.slice(0, 200)}`])
          if (response.status >= 400) {
            expect(response.headers.get("content-type")).toBe("application/problem+json")
            expect(JSON.parse(text)).toMatchObject({
              status: response.status,
              type: expect.stringMatching(/^\/problems\//)
            })
          } else if (text === "") expect(response.headers.get("content-type")).toBeNull()
          return text
        })
      const base = `/v1/${tenant}`
      yield* check(1, "GET", "/v1/platform/properties", 200)
      expect(yield* check(2, "GET", "/v1/platform/tenant", 200)).toBe('{"tenant":"mytenant"}')
      for (const operator of ["grok", "dissect"]) {
        yield* check(
          3,
          "POST",
          `/v1/flower/${operator}`,
          200,
          test("a b", operator === "grok" ? "%{WORD:x}" : "%{x} %{y}")
        )
        yield* check(3, "POST", `/v1/flower/${operator}`, 500, test("a b", "%{"))
      }
      yield* check(3, "POST", "/v1/flower/sed", 404, test("a", "b"))
      yield* check(7, "GET", "/v1/mytenant/channels", 200)
      yield* check(8, "GET", "/v1/mytenant/channels/apache", 200)
      yield* check(8, "GET", "/v1/mytenant/channels/none", 404)
      yield* check(9, "POST", "/v1/mytenant/channels/apache/start", 201)
      yield* check(9, "POST", "/v1/mytenant/channels/apache/stop", 204)
      yield* check(9, "POST", "/v1/mytenant/channels/none/start", 404)
      yield* check(10, "GET", `${base}/conf`, 200)
      yield* check(11, "GET", `${base}/conf/flowlines/apache-access.yaml`, 200)
      yield* check(11, "GET", `${base}/conf/flowlines`, 400)
      yield* check(11, "GET", `${base}/conf/none`, 404)
      const extraction = JSON.stringify({ format: "csv", index: "mytenant-*", fields: [{ name: "a" }], filters: {} })
      yield* check(12, "POST", `${base}/extraction`, 200, extraction)
      yield* check(12, "POST", `${base}/extraction`, 400)
      yield* check(13, "GET", `${base}/flowline`, 200)
      yield* check(14, "POST", `${base}/flowline/save`, 200, flowlineForm(flowline))
      yield* check(14, "POST", `${base}/flowline/save`, 400, flowlineForm("nothing"))
      yield* check(15, "POST", `${base}/flowline`, 200, flowlineForm(flowline))
      yield* check(16, "GET", `${base}/flowline/executions`, 200)
      yield* check(17, "GET", `${base}/flowline/executions/${saved.id}`, 200)
      yield* check(17, "GET", `${base}/flowline/executions/none`, 404)
      for (const [number, what] of [
        [18, "events"],
        [19, "output"]
      ] as const) {
        yield* check(number, "GET", `${base}/flowline/executions/${execution}/${what}`, 200)
        yield* check(number, "GET", `${base}/flowline/executions/none/${what}`, 404)
      }
      yield* check(20, "GET", `${base}/flowline/${saved.id}/executions/${execution}`, 200)
      yield* check(20, "GET", `${base}/flowline/${saved.id}/executions/none`, 404)
      yield* check(21, "GET", `${base}/flowline/scan/analytics`, 200)
      yield* check(22, "GET", `${base}/flowline/scan/pybatch`, 200)
      yield* check(23, "GET", `${base}/flowline/scan/stream`, 200)
      yield* check(24, "GET", `${base}/flowline/scan`, 200)
      yield* check(25, "DELETE", `${base}/flowline/scan/reset`, 200)
      yield* check(26, "GET", `${base}/flowline/${saved.id}`, 200)
      yield* check(26, "GET", `${base}/flowline/none`, 404)
      yield* check(27, "POST", `${base}/flowline/${saved.id}`, 200)
      yield* check(27, "POST", `${base}/flowline/none`, 404)
      yield* check(5, "GET", `${base}/archives/${execution}`, 200)
      yield* check(6, "DELETE", `${base}/archives/${execution}`, 204)
      yield* check(5, "GET", `${base}/archives/${execution}`, 404)
      yield* check(6, "DELETE", `${base}/archives/${execution}`, 404)
      yield* check(4, "DELETE", `${base}/archives`, 200)
      const form = (parts: Readonly<Record<string, string | readonly [text: string, file: string]>>) => {
        const body = new FormData()
        for (const [name, part] of Object.entries(parts)) {
          if (typeof part === "string") body.set(name, part)
          else body.set(name, new Blob([part[0]]), part[1])
        }
        return body
      }
      const manifest = "group: org.example\nartifact: tool\nversion: 1.0.0\ntype: FILE\n"
      const named = "group=org.example&artifact=tool"
      yield* check(
        30,
        "PUT",
        `${base}/resources/upload`,
        201,
        form({ input: ["x", "x.txt"], manifest: [manifest, "m"] })
      )
      yield* check(29, "GET", `${base}/resources/list?all=true&group=org.*`, 200)
      yield* check(31, "GET", `${base}/resources/metadata?${named}`, 200)
      yield* check(31, "GET", `${base}/resources/metadata?${named}&version=2`, 404)
      yield* check(36, "GET", `${base}/resources/types`, 200)
      const companion = "org/example/tool/x.txt"
      yield* check(33, "PUT", `${base}/resources/copy/${companion}`, 201, form({ destination: "copy" }))
      yield* check(33, "PUT", `${base}/resources/copy/none`, 404, form({ destination: "other" }))
      yield* check(34, "PUT", `${base}/resources/move/copy`, 201, form({ destination: "moved" }))
      yield* check(34, "PUT", `${base}/resources/move/copy`, 404, form({ destination: "moved" }))
      yield* check(38, "POST", `${base}/registry`, 200, form({ file: ["x", "x.txt"], path: "a/x.txt" }))
      yield* check(38, "POST", `${base}/registry`, 500, form({ file: ["x", "x.txt"], path: "a" }))
      yield* check(37, "GET", `${base}/registry`, 200)
      yield* check(37, "GET", "/v1/nobody/registry", 404)
      yield* check(39, "GET", `${base}/registry/download/a/x.txt`, 200)
      yield* check(39, "GET", `${base}/registry/download/a/y.txt`, 404)
      yield* check(40, "GET", `${base}/registry/metadata/a/x.txt`, 200)
      yield* check(40, "GET", `${base}/registry/metadata/a`, 404)
      yield* check(32, "DELETE", `${base}/resources/delete?${named}`, 200)
      yield* check(32, "DELETE", `${base}/resources/delete?${named}`, 404)
      const area = join((yield* TestGateway).settings.data, "blobs", tenant, "data")
      mkdirSync(area, { recursive: true })
      writeFileSync(join(area, "here.txt"), "here")
      yield* check(35, "PUT", `${base}/resources/register/here`, 200, form({ url: "here.txt", version: "1" }))
      yield* check(35, "PUT", `${base}/resources/register/here`, 422, form({ url: "here.txt", version: "1" }))
      yield* check(35, "PUT", `${base}/resources/register/here`, 404, form({ url: "gone.txt" }))
      yield* check(41, "GET", `${base}/documentation/index`, 200)
      yield* check(41, "GET", `${base}/documentation/none`, 404)
      yield* check(28, "DELETE", `${base}/flowline/${saved.id}`, 201)
      yield* check(28, "DELETE", `${base}/flowline/${saved.id}`, 404)
      expect(statuses.filter(([, expected, status]) => expected !== status)).toEqual([])
      expect(new Set(statuses.map(([number]) => number))).toEqual(new Set(rows.map(([number]) => number)))
    })
  )
})
