import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, raw } from "../support/gateway.ts"
import { formOf } from "../support/operations.ts"

const issuesOf = (path: string, method: string, body: string | Uint8Array<ArrayBuffer> | FormData) => {
  const headers = body instanceof FormData ? {} : { "content-type": "application/json" }
  return Effect.flatMap(raw(`/v1/mytenant/${path}`, { method, body, headers }), (answer) =>
    Effect.promise(async () => {
      const { issues } = (await answer.json()) as { readonly issues?: ReadonlyArray<unknown> }
      return { status: answer.status, issues }
    })
  )
}

const refused = (part: string, line: number, column: number, detail: string) => ({
  status: 400,
  issues: [expect.objectContaining({ part, line, column, detail })]
})

const faulty: ReadonlyArray<readonly [text: string, line: number, column: number, detail: string]> = [
  ['{\n  "index": "a",\n}', 2, 15, 'This is not JSON: JSON does not allow a comma before "}"'],
  ["{'index': 1}", 1, 2, `This is not JSON: Expected a key in double quotes, found "'"`],
  ['{"index": "a"', 1, 14, 'This is not JSON: Expected "," or "}", found the end'],
  ['{"index": "a"} x', 1, 16, 'This is not JSON: Expected the end of the document, found "x"'],
  ['{"index": NaN}', 1, 11, 'This is not JSON: Expected a value, found "N"'],
  ['{"a":1,\r\n "b":{"é:\\"":1, "c":":", "é:\\"":2}}', 2, 26, 'The key "é:\\"" occurs twice in the same object'],
  [`${"[".repeat(200)}1`, 1, 102, "This is not JSON: The document is nested deeper than 100 levels"]
]

/** Endpoints whose bodies are JSON. */
const takingJson = [
  ["search", "POST"],
  ["extraction", "POST"],
  ["keys", "POST"],
  ["schedules/a", "PUT"],
  ["channels/a", "PUT"]
] as const

layer(memoryGateway(), { excludeTestServices: true })("a body that is not JSON, or has a key twice", (it) => {
  it.effect.each(faulty)("%j", ([text, line, column, detail]) =>
    Effect.gen(function* () {
      for (const [path, method] of [
        ["search", "POST"],
        ["extraction", "POST"],
        ["keys", "POST"],
        ["schedules/nightly", "PUT"],
        ["flowline/nosuch", "POST"]
      ] as const)
        expect(yield* issuesOf(path, method, text), path).toEqual(refused("body", line, column, detail))
      const properties = yield* issuesOf("resources/register/a", "PUT", formOf({ url: "a", properties: text }))
      expect(properties).toEqual(refused("properties", line, column, detail))
      const parameters = yield* issuesOf("flowline", "POST", formOf({ file: "a: 1", parameters: text }))
      expect(parameters).toEqual(refused("parameters", line, column, detail))
    })
  )

  it.effect("says where its bytes are not UTF-8", () =>
    Effect.gen(function* () {
      const latin1 = Uint8Array.from([...'{"a":\n "'].map((char) => char.charCodeAt(0)).concat(0xe9, 0x22, 0x7d))
      expect(yield* issuesOf("search", "POST", latin1)).toEqual(refused("body", 2, 3, "This is not JSON in UTF-8"))
      expect(yield* issuesOf("search", "POST", " \n ")).toMatchObject({
        issues: [{ part: "body", detail: "Expected JSON, found nothing" }]
      })
    })
  )

  it.effect("is none with equal keys in different objects, colons in texts and any nesting", () =>
    Effect.gen(function* () {
      const told = { status: 400, issues: [expect.objectContaining({ pointer: "/x" })] }
      const query = '{"bool":{"must":[{"match_all":{}},{"match_all":{}}]}}'
      for (const x of ['[{"a":1},{"a":1}]', '{"":"\\":\\\\","b":{"":1}}', '{"__proto__":1,"é":":"}', "1e400"])
        expect(yield* issuesOf("search", "POST", `{"index":"mytenant-*","query":${query},"x":${x}}`)).toEqual(told)
      const deep = (inner: string) => `{"index":"mytenant-*","x":${"[".repeat(20_000)}${inner}${"]".repeat(20_000)}}`
      expect(yield* issuesOf("search", "POST", deep(""))).toEqual(told)
      const tooDeep = "This is not JSON: The document is nested deeper than 100 levels"
      expect(yield* issuesOf("search", "POST", deep("1e400"))).toEqual(refused("body", 1, 127, tooDeep))
      const parameters = formOf({ file: "runtime: stream", parameters: deep("1e400") })
      expect(yield* issuesOf("flowline", "POST", parameters)).toEqual(refused("parameters", 1, 127, tooDeep))
    })
  )

  it.effect("is told with 200 of its faults at most, and not looked at with tens of thousands of members", () =>
    Effect.gen(function* () {
      const body = (members: number) =>
        `{"index":"mytenant-*",${Array.from({ length: members }, (_, n) => `"k${n}":[]`).join()}}`
      for (const [path, method] of takingJson) {
        const { issues = [] } = yield* issuesOf(path, method, body(1000))
        expect(issues.length, path).toBeLessThan(250)
        expect(issues).toContainEqual({ part: "body", detail: "There are more issues" })
        expect(yield* issuesOf(path, method, body(20_001)), path).toEqual({
          status: 400,
          issues: [{ part: "body", pointer: "", detail: "The objects have more than 20000 members together" }]
        })
      }
    })
  )

  it.effect("has no number that passes for a text, however many digits it has", () =>
    Effect.gen(function* () {
      for (const number of ["1", "1e400", "-1e-400", "9".repeat(30), "0.1234567890123456789"]) {
        const at = (pointer: string) => ({ status: 400, issues: [expect.objectContaining({ part: "body", pointer })] })
        const key = `{"name":${number},"role":"viewer"}`
        expect(yield* issuesOf("keys", "POST", key), number).toEqual(at("/name"))
        expect(yield* issuesOf("secrets/A", "PUT", `{"value":${number}}`), number).toEqual(at("/value"))
        const files = `{"files":{"channel_structure.yaml":${number}}}`
        expect(yield* issuesOf("channels/a", "PUT", files), number).toEqual(at("/files/channel_structure.yaml"))
      }
    })
  )

  it.effect("and one that is no object, or a parameter that was sent twice, is told in words of the caller", () =>
    Effect.gen(function* () {
      for (const [path, method] of takingJson) {
        const { issues } = yield* issuesOf(path, method, "[]")
        expect(issues, path).toContainEqual({ part: "body", pointer: "", detail: "Expected object" })
      }
      const answer = yield* raw("/v1/mytenant/flowline?limit=1&limit=2")
      expect(yield* Effect.promise(() => answer.json())).toMatchObject({
        issues: [{ part: "query", pointer: "/limit", detail: "The parameter was sent more than once" }]
      })
    })
  )

  it.effect("or no form, or at no endpoint, is told what to send and where the endpoints are listed", () =>
    Effect.gen(function* () {
      const { issues } = yield* issuesOf("registry", "POST", "{}")
      const parts = "send a form, with curl by -F, whose parts can be file, path"
      const wrongType = `the content type must be multipart/form-data: ${parts}`
      expect(issues).toEqual([{ part: "header", pointer: "/content-type", detail: wrongType }])
      const nowhere = yield* raw("/v1/mytenant")
      const detail = "There is no endpoint at this path; GET /docs lists all endpoints"
      expect(yield* Effect.promise(() => nowhere.json())).toMatchObject({ status: 404, kind: "route", detail })
    })
  )
})
