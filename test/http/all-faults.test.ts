import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import { form, type Part } from "../resources/support.ts"
import { memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

const T = "/v1/mytenant"
type Parts = Readonly<Record<string, string | Part>>
type Case = readonly [method: string, path: string, body: object | undefined, faults: ReadonlyArray<string>]

const file = (bytes: string | Uint8Array<ArrayBuffer>, name: string): Part => ({ bytes, name })
const json = (body: object) => ({ body: JSON.stringify(body), headers: { "content-type": "application/json" } })
const parts = (given: Parts) => ({ body: form(given) })
const manifest = file("{}", "manifest.json")
const missing = ["manifest/artifact", "manifest/group", "manifest/type", "manifest/version"]

const cases: ReadonlyArray<Case> = [
  ["POST", `${T}/extraction`, json({ format: "x", tenant: "z" }), ["body/format", "body/index", "body/tenant"]],
  [
    "POST",
    `${T}/extraction`,
    json({ format: "x", index: "mytenant-a", filters: { foo: 1 } }),
    ["body/filters/foo", "body/format"]
  ],
  [
    "POST",
    `${T}/extraction`,
    json({ format: "csv", index: "mytenant-a", bar: 1, tenant: "z", time_zone: "Mars", fields: "all" }),
    ["body/bar", "body/fields", "body/tenant", "body/time_zone"]
  ],
  [
    "POST",
    `${T}/extraction`,
    json({ format: 1, index: "mytenant-a", fields: [{ name: "a", type: "date", format: "?" }, { type: 1 }, 7] }),
    ["body/fields/0/format", "body/fields/1/name", "body/fields/1/type", "body/fields/2", "body/format"]
  ],
  [
    "PUT",
    `${T}/resources/copy/a`,
    parts({ version: "x", embedded: "y", foo: "1" }),
    ["destination", "embedded", "foo", "version"]
  ],
  ["PUT", `${T}/resources/move/a`, parts({ destination: "../b", version: "0" }), ["destination", "version"]],
  [
    "PUT",
    `${T}/resources/register/a`,
    parts({ version: "x", size: "y", properties: "{", compression: "\t\u0001", foo: "1" }),
    ["compression", "foo", "properties", "size", "url", "version"]
  ],
  ["PUT", `${T}/resources/upload`, parts({ manifest }), ["input", ...missing]],
  ["PUT", `${T}/resources/upload`, parts({ input: file("x", ".."), manifest }), ["input", ...missing]],
  ["PUT", `${T}/resources/upload`, parts({ manifest, foo: "1", input: file("x", "..") }), ["foo", "input", ...missing]],
  ["PUT", `${T}/resources/upload`, parts({ input: file("x", ".."), foo: "1", manifest }), ["foo", "input", ...missing]],
  ["POST", `${T}/registry`, parts({ path: file(Uint8Array.of(0xff), "path"), foo: "1" }), ["file", "foo", "path"]],
  [
    "POST",
    "/v1/flower/grok",
    parts({ input: file("a", "a"), pattern: file("b", "b"), split: "x", ecsCompatibility: "v9", foo: "y" }),
    ["ecsCompatibility", "foo", "split"]
  ],
  ["POST", "/v1/flower/flowlet", parts({ split: "x" }), ["input", "logFile", "split"]],
  ["GET", `${T}/resources/list?all=x&limit=0&cursor=z`, undefined, ["query/all", "query/cursor", "query/limit"]],
  ["GET", `${T}/registry?limit=x&cursor=WzEsMl0`, undefined, ["query/cursor", "query/limit"]],
  [
    "DELETE",
    `${T}/resources/delete?versions=&foo=1`,
    undefined,
    ["query/artifact", "query/foo", "query/group", "query/versions"]
  ],
  ["GET", `${T}/registry/download/a//b?version=x&foo=1`, undefined, ["path/path", "query/foo", "query/version"]],
  ["GET", `${T}/conf/a//b?x=1`, undefined, ["path/path", "query/x"]],
  ["PUT", `${T}/resources/copy/a//b?x=1`, parts({ foo: "1" }), ["path/name", "query/x"]],
  ["PUT", `${T}/resources/copy/a?x=1`, parts({ version: "x", foo: "1" }), ["destination", "foo", "query/x", "version"]],
  ["PUT", `${T}/resources/upload?x=1`, parts({ manifest, input: file("x", "..") }), ["input", ...missing, "query/x"]],
  [
    "POST",
    "/v1/flower/grok?tenant=-&x=1",
    parts({ input: file("a", "a"), split: "x" }),
    ["pattern", "query/tenant", "query/x", "split"]
  ],
  [
    "POST",
    `${T}/flowline/save?x=1&test=x`,
    { body: "a", headers: { "content-type": "text/plain" } },
    ["header/content-type", "query/test", "query/x"]
  ],
  [
    "POST",
    `${T}/extraction?x=1`,
    json({ format: "x", index: "mytenant-a", filters: { foo: 1 }, tenant: "z" }),
    ["body/filters/foo", "body/format", "body/tenant", "query/x"]
  ],
  ["POST", `${T}/extraction?x=1`, undefined, ["body", "query/x"]],
  [
    "POST",
    `${T}/flowline/a?version=x`,
    json({ parameters: 1, foo: 1 }),
    ["body/foo", "body/parameters", "query/version"]
  ],
  ["PUT", `${T}/secrets/A?x=1`, json({ value: "" }), ["body/value", "query/x"]],
  ["PUT", `${T}/schedules/a?x=1`, json({ trigger: {}, foo: 1 }), ["body/flowline", "body/foo", "query/x"]],
  ["POST", `${T}/schedules/a/run?x=1`, { ...json({}), body: "{" }, ["body", "query/x"]],
  ["PUT", `${T}/channels/a?x=1`, json({ files: { "../a": "" } }), ["body/files/..~1a", "query/x"]],
  ["POST", `${T}/search?x=1`, json({ index: "", limit: 0 }), ["body/index", "body/limit", "query/x"]],
  ["POST", `${T}/keys?x=1`, json({ name: "" }), ["body/name", "body/role", "query/x"]],
  [
    "POST",
    `${T}/flowline/a?version=x`,
    { body: "--a\r\n\r\n", headers: { "content-type": "multipart/form-data; boundary=a" } },
    ["body", "query/version"]
  ]
]

const withForms: Array<readonly [method: string, path: string]> = []
const withJson: Array<readonly [method: string, path: string]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path, payload } }) => {
    const named = path.replace(":tenant", "mytenant").replace(":operator", "grok").replaceAll(/:\w+/g, "a")
    if (payload.has("multipart/form-data")) withForms.push([method, named])
    // A webhook checks its token first, and takes bodies of any kind.
    if (payload.has("application/json") && !path.includes("/hooks/")) {
      withJson.push([method, path.includes("/secrets/") ? named.replace(/a$/, "A") : named])
    }
  }
})

layer(memoryGateway(), { excludeTestServices: true })("faults of several kinds are told at once:", (it) => {
  it.effect.each(withForms)("%s %s: those of its query and of its form, and nothing is done", ([method, path]) =>
    Effect.gen(function* () {
      // No handler goes on with a form that is good when its query is not.
      const good = yield* raw(`${path}?zzz=1`, { method, ...parts({}) })
      const told = (yield* Effect.promise(() => good.json())) as { readonly issues: ReadonlyArray<object> }
      expect([good.status, told.issues]).toEqual([
        400,
        expect.arrayContaining([expect.objectContaining({ part: "query", pointer: "/zzz" })])
      ])
      const response = yield* raw(`${path}?zzz=1`, { method, ...parts({ yyy: "1" }) })
      const { issues } = (yield* Effect.promise(() => response.json())) as { readonly issues: ReadonlyArray<object> }
      expect([response.status, issues]).toEqual([
        400,
        expect.arrayContaining([
          expect.objectContaining({ part: "query", pointer: "/zzz" }),
          expect.objectContaining({ part: "yyy" })
        ])
      ])
    })
  )

  it.effect.each(withJson)("%s %s: those of its query and of its JSON, and nothing is done", ([method, path]) =>
    Effect.gen(function* () {
      for (const [body, faults] of [
        ["null", [{ part: "query", pointer: "/zzz" }]],
        [
          "{",
          [
            { part: "query", pointer: "/zzz" },
            { part: "body", pointer: "" }
          ]
        ]
      ] as const) {
        const response = yield* raw(`${path}?zzz=1`, { method, body, headers: { "content-type": "application/json" } })
        const { issues } = (yield* Effect.promise(() => response.json())) as { readonly issues: ReadonlyArray<object> }
        const told = faults.map((fault) => expect.objectContaining(fault))
        expect([response.status, issues]).toEqual([400, expect.arrayContaining(told)])
      }
    })
  )

  it.effect("those of the form are not waited for, where it is sent only if it is wanted", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const headers = {
        "Content-Type": "multipart/form-data; boundary=B",
        "Content-Length": "1000000",
        Expect: "100-continue"
      }
      const port = Number(new URL(url).port)
      for (const path of [`${T}/registry?x=1`, `${T}/flowline/save?x=1`]) {
        const answer = yield* Effect.promise(() => rawRequest(port, "POST", path, headers))
        const { issues } = JSON.parse(String(answer.body)) as { readonly issues: ReadonlyArray<object> }
        expect([answer.status, issues]).toEqual([400, [expect.objectContaining({ part: "query", pointer: "/x" })]])
      }
    })
  )

  it.effect("a file is not waited for when its key is none", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const headers = {
        "Content-Type": "multipart/form-data; boundary=B",
        "Content-Length": "1000000",
        Expect: "100-continue",
        "Idempotency-Key": "a b"
      }
      const port = Number(new URL(url).port)
      const files = [["POST", `${T}/registry`] as const, ["PUT", `${T}/resources/upload`] as const]
      for (const [method, path] of files) {
        const answer = yield* Effect.promise(() => rawRequest(port, method, path, headers))
        expect([answer.status, String(answer.body)]).toEqual([400, expect.stringContaining("/idempotency-key")])
      }
    })
  )

  it.effect.each([
    ["multipart/form-data; boundary=B;", []],
    ["multipart/form-data; ; boundary=B ; charset=utf-8", []],
    ['multipart/form-data;\tboundary="B"', []],
    ["multipart/form-data; boundary=A; boundary=B", ["the content type has several boundaries"]]
  ] as const)("%s: %j", ([type, faults]) =>
    Effect.gen(function* () {
      const part = (name: string) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n%{WORD:a}\r\n`
      const body = `${part("input")}${part("pattern")}--B--\r\n`
      const response = yield* raw("/v1/flower/grok", { method: "POST", body, headers: { "content-type": type } })
      const { issues = [] } = (yield* Effect.promise(() => response.json())) as {
        readonly issues?: ReadonlyArray<{ readonly detail: string }>
      }
      expect([response.status, issues.map(({ detail }) => detail)]).toEqual([faults.length === 0 ? 200 : 400, faults])
    })
  )

  for (const [method, path, init, faults] of cases) {
    it.effect(`${method} ${path}: ${faults.join(", ")}`, () =>
      Effect.gen(function* () {
        const response = yield* raw(path, { method, ...init })
        const { issues } = (yield* Effect.promise(() => response.json())) as {
          readonly issues: ReadonlyArray<{ readonly part?: string; readonly pointer?: string }>
        }
        const told = issues.map(({ part = "", pointer = "" }) => part + pointer)
        expect([response.status, told.toSorted()]).toEqual([400, faults])
      })
    )
  }
})
