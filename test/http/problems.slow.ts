import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventually } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { exchange, parseAnswer, type RawAnswer, rawGet, rawRequest } from "../support/socket.ts"

class Gateway extends Context.Service<Gateway, Running>()("test/http/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.flatMap(site(), (here) => Effect.promise(() => here.start()))
  )
}

const internals = /\bat \S+ \(|node:|node_modules|SqlError|select |insert into|\/(work|home|tmp|root|usr)\//i

/** Checks that an answer is a complete problem without internals, and returns its members. */
const problem = (answer: RawAnswer, status: number): Record<string, unknown> => {
  const text = answer.body.toString("utf8")
  expect(answer.status, text).toBe(status)
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  const members: Record<string, unknown> = JSON.parse(text)
  expect(members).toMatchObject({
    type: expect.stringMatching(/^\/problems\/[a-z-]+$/),
    title: expect.stringMatching(/./),
    status,
    instance: expect.stringMatching(/^[/*]/),
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/)
  })
  expect(text).not.toMatch(internals)
  return members
}

const ids = [
  "a%2Fb",
  "%2e%2e",
  "a%00b",
  "%27%20or%201=1--",
  "%27%3Bdrop%20table%20flowlines%3B--",
  "x".repeat(5000),
  "%EF%BF%BF",
  "%F0%9F%98%80",
  "hasOwnProperty",
  "__proto__",
  "constructor",
  "%25",
  "*",
  "none-1",
  "9".repeat(40),
  "-1",
  "%0d%0aX-A:%20b"
]

layer(Gateway.layer, { excludeTestServices: true })("every answer above 399 is a problem:", (it) => {
  it.effect("unknown routes and wrong methods, with what is allowed", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      const call = (method: string, target: string) => Effect.promise(() => rawRequest(port, method, target))
      const missing = ["/", "/nope", "//v1/platform/tenant", "/v1//platform/tenant", "/V1/platform/tenant", "/v1", "*"]
      for (const target of [
        ...missing,
        "/v1/platform/../platform/tenant",
        "/v1/platform%2Ftenant",
        "/v1/a/b/c/d/e/f"
      ]) {
        expect(problem(yield* call("GET", target), 404)).toMatchObject({ kind: "route", instance: target })
      }
      expect(problem(yield* call("PUT", "/nope"), 404)).toMatchObject({ kind: "route" })
      const allowed = {
        "/v1/platform/tenant": "GET, HEAD",
        "/v1/mytenant/flowline/abc": "DELETE, GET, HEAD, POST",
        "/v1/mytenant/conf/a/b/c": "GET, HEAD",
        "/health/live": "GET, HEAD"
      }
      for (const [target, allow] of Object.entries(allowed)) {
        for (const method of ["PATCH", "PROPFIND", "TRACE"]) {
          const answer = yield* call(method, target)
          expect(problem(answer, 405)["allow"]).toEqual(allow.split(", "))
          expect(answer.headers.get("allow")).toBe(allow)
        }
        const options = yield* call("OPTIONS", target)
        expect([options.status, options.body.length]).toEqual([204, 0])
        expect(options.headers.get("allow")).toContain("GET")
      }
    })
  )

  it.effect("ids that nothing has, on every endpoint that takes one", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      const call = (method: string, target: string) => Effect.promise(() => rawRequest(port, method, target))
      for (const id of ids) {
        const targets = [
          ["GET", `archives/${id}`],
          ["DELETE", `archives/${id}`],
          ["GET", `flowline/executions/${id}`],
          ["GET", `flowline/executions/${id}/events`],
          ["GET", `flowline/executions/${id}/output`],
          ["GET", `flowline/${id}/executions/${id}`],
          ["DELETE", `flowline/${id}/executions/${id}`],
          ["GET", `flowline/${id}`],
          ["POST", `flowline/${id}`],
          ["DELETE", `flowline/${id}`]
        ] as const
        for (const [method, path] of targets) {
          const answer = yield* call(method, `/v1/mytenant/${path}`)
          problem(answer, 404)
        }
      }
      for (const id of ["%ED%A0%80", "%C0%AF", "%zz", "%"]) {
        problem(yield* call("GET", `/v1/mytenant/flowline/${id}`), 404)
        problem(yield* call("GET", `/v1/mytenant/conf/${id}`), 404)
      }
    })
  )

  it.effect("tenants of every odd name", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      const names = ["..", ".", "%2e%2e", "a%00", "mytenant%00", "__proto__", "*", "_all", "MyTenant", "constructor"]
      const more = [
        "x".repeat(2000),
        "mytenant%20",
        "%20mytenant",
        "mytenant%0a",
        "mytenant;x",
        "mytenant.",
        "%20",
        "~"
      ]
      for (const name of [...names, ...more, "mytenant%2F..%2Fothertenant", "mytenant%2f", "platform", "%E2%84%A2"]) {
        for (const path of [
          "conf",
          "conf/platform.yaml",
          "flowline",
          "flowline/executions",
          "archives",
          "flowline/x"
        ]) {
          const answer = yield* Effect.promise(() => rawGet(port, `/v1/${name}/${path}`))
          expect(problem(answer, 404)["kind"]).toMatch(/^(tenant|route)$/)
        }
      }
    })
  )

  it.effect("queries that do not decode, all issues at once, and cursors that no list gave", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      const get = (target: string) => Effect.promise(() => rawGet(port, `/v1/mytenant/${target}`))
      const both = problem(yield* get(`flowline?limit=abc&cursor=${"x".repeat(3000)}`), 400)
      expect(both["issues"]).toMatchObject([
        { part: "query", pointer: "/limit" },
        { part: "query", pointer: "/cursor" }
      ])
      for (const limit of ["0", "-1", "1.5", "1e9", "", "NaN", "10001", "%00", "1&limit=2"]) {
        expect(problem(yield* get(`flowline/executions?limit=${limit}`), 400)["issues"]).toMatchObject([
          { part: "query", pointer: "/limit" }
        ])
      }
      const forged = (list: string, key: string) => Buffer.from(JSON.stringify([list, key])).toString("base64url")
      for (const key of ["x", "a\0", "", "-1", "1e3", "9".repeat(30), "1; drop table flowlines"]) {
        problem(yield* get(`flowline?limit=1&cursor=${forged("flowlines", key)}`), 400)
        problem(yield* get(`flowline/executions?cursor=${forged("executions", key)}`), 400)
      }
      for (const cursor of ["%00", "AAAA", "bnVsbA", forged("flowlines", "1")]) {
        problem(yield* get(`flowline/executions?limit=1&cursor=${cursor}`), 400)
      }
      problem(yield* get("flowline/executions/x/output?from=-1"), 400)
      problem(yield* get("flowline/x?version=0"), 400)
      const save = yield* Effect.promise(() => rawRequest(port, "POST", "/v1/mytenant/flowline/save?id=a%00b"))
      problem(save, 400)
    })
  )

  it.effect("requests that are not HTTP enough", () =>
    Effect.gen(function* () {
      const { port, stderr } = yield* Gateway
      const send = (text: string) => Effect.promise(() => exchange(port, text))
      const get = "GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
      const post =
        "POST /v1/mytenant/flowline/save HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n"
      const malformed = {
        garbage: "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        "another protocol": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "no host": "GET /v1/platform/tenant HTTP/1.1\r\nConnection: close\r\n\r\n",
        "an unknown method": "BREW /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n\r\n",
        "a tunnel": "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        "a folded header": `${get}X: a\r\n b\r\n\r\n`,
        "a bare line feed": `${get}X: a\n\n`,
        "a blank before the colon": `${get}X : a\r\n\r\n`,
        "a NUL in a header": `${get}X: a\0b\r\n\r\n`,
        "a control character in the path": "GET /v1/\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
        "a blank in the path": "GET /v1/a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "raw UTF-8 in the path": "GET /v1/mytenant/conf/\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n",
        "a length and chunks": `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        "two lengths": `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
        "a negative length": `${post}Content-Length: -1\r\n\r\n`,
        "a broken chunk": `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
        "two encodings": `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`
      }
      for (const [name, text] of Object.entries(malformed)) {
        const answer = yield* send(text)
        expect(answer.status, name).toBe(400)
        problem(answer, 400)
      }
      const long = problem(yield* send(`${get}X: ${"a".repeat(20_000)}\r\n\r\n`), 431)
      expect(long["detail"]).toContain("exceed 16 KiB or 100 fields: shorten the URL, or omit cookies")
      problem(yield* send(`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), 431)
      problem(yield* send(`${get}${Array.from({ length: 2000 }, (_, i) => `A${i}: b\r\n`).join("")}\r\n`), 431)
      expect(problem(yield* send(`${get}Expect: something\r\n\r\n`), 417)["instance"]).toBe("/v1/platform/tenant")
      const bare = yield* send("BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
      const { traceId } = problem(bare, 400)
      yield* Effect.promise(() => eventually("the refusal is logged", () => stderr().includes(String(traceId))))
    })
  )

  it.effect("but odd requests that are well-formed are answered as they should be", () =>
    Effect.gen(function* () {
      const { port } = yield* Gateway
      const send = (text: string) => Effect.promise(() => exchange(port, text))
      const get = "GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
      const fine = [
        `${get}Expect: 100-continue\r\n\r\n`,
        "GET /v1/platform/tenant HTTP/1.0\r\n\r\n",
        "GET http://somewhere/v1/platform/tenant HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        `${get.replace("close", "close, Upgrade")}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
        `${get}Content-Length: 5\r\n\r\nhello`,
        `\r\n\r\n${get}\r\n`
      ]
      for (const text of fine) {
        const answer = yield* send(text)
        expect([answer.status, answer.body.toString()]).toEqual([200, '{"tenant":"mytenant"}'])
      }
      const elsewhere = yield* send("GET http://somewhere/nope?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      expect(problem(elsewhere, 404)["instance"]).toBe("/nope")
      expect(problem(yield* send(get.replace("tenant ", "tenant;a ").concat("\r\n")), 404)["instance"]).toBe(
        "/v1/platform/tenant;a"
      )
      // A body that is neither there nor announced is none.
      const types = ["application/json", "multipart/form-data; boundary=x"]
      for (const path of ["search", "extraction", "flowline", "flowline/save", "registry"]) {
        for (const type of types) {
          const head = `POST /v1/mytenant/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}`
          problem(yield* send(`${head}\r\n\r\n`), 400)
        }
      }
      // Pipelined: one good, one bad, both answered in order.
      const two = yield* send(
        "GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n\r\nGET /nope HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      )
      expect([two.status, two.body.toString()]).toEqual([200, '{"tenant":"mytenant"}'])
      problem(parseAnswer(two.bytes.subarray(two.bytes.lastIndexOf("HTTP/1.1 "))), 404)
      const head = yield* Effect.promise(() => rawRequest(port, "HEAD", "/nope"))
      expect([head.status, head.body.length, head.headers.get("content-type")]).toEqual([
        ...[404, 0, "application/problem+json"]
      ])
    })
  )
})
