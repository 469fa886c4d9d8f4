import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exampleConf, memoryGateway, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

const form = (text: string) => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="flowline.yaml"\r\n\r\n'
  return { body: `${head}${text}\r\n--b--\r\n`, type: "multipart/form-data; boundary=b" }
}

const flowline = readFileSync(join(exampleConf, "tenants/mytenant/flowlines/generator.yaml"), "utf8")

const ask = Effect.fnUntraced(function* (method: string, path: string, headers: Record<string, string>, body = "") {
  const { url } = yield* TestGateway
  const answer = yield* Effect.promise(() => rawRequest(Number(new URL(url).port), method, path, headers, body))
  const text = answer.body.toString()
  const problem: { readonly type?: string; readonly detail?: string } = text.startsWith("{") ? JSON.parse(text) : {}
  return { status: answer.status, type: problem.type, headers: answer.headers }
})

const save = (headers: Record<string, string>) => {
  const { body, type } = form(flowline)
  return ask("POST", "/v1/mytenant/flowline/save", { "Content-Type": type, ...headers }, body)
}

const search = (headers: Record<string, string>) =>
  ask("POST", "/v1/mytenant/search", headers, '{"index":"mytenant-x"}')

const saved = Effect.gen(function* () {
  const { client } = yield* TestGateway
  return (yield* client.flowlines.list({ params: { tenant: "mytenant" }, query: {} })).length
})

layer(memoryGateway({ hosts: ["flow.example.com"] }), { excludeTestServices: true })("a browser", (it) => {
  it.effect("reaches the gateway under its own names only", () =>
    Effect.gen(function* () {
      const names = ["localhost", "localhost:4242", "LOCALHOST", "app.localhost:1", "127.0.0.1:4242", "[::1]:4242"]
      for (const host of [...names, "10.1.2.3", "gateway:4242", "flow.example.com", "flow.example.com.:443"]) {
        assert.deepStrictEqual([host, (yield* ask("GET", "/v1/mytenant/archives", { Host: host })).status], [host, 200])
      }
      for (const host of [
        "evil.example",
        "localhost.evil.example",
        "flow.example.com.evil.example",
        "127.0.0.1.nip.io"
      ]) {
        for (const path of ["/v1/mytenant/archives", "/health/ready", "/metrics", "/docs", "/nosuch"]) {
          const { status, type } = yield* ask("GET", path, { Host: host })
          assert.deepStrictEqual([host, path, status, type], [host, path, 421, "/problems/misdirected-request"])
        }
      }
    })
  )

  it.effect("may change something where a proxy writes the usual port into the host", () =>
    Effect.gen(function* () {
      const cases = [
        ["gateway:80", "http://gateway", 404],
        ["GATEWAY:443", "https://gateway", 404],
        ["gateway:443", "http://gateway", 403],
        ["gateway:8443", "https://gateway", 403],
        ["[::1]:80", "http://[::1]", 404]
      ] as const
      for (const [Host, Origin, status] of cases) {
        assert.deepStrictEqual([Host, Origin, (yield* search({ Host, Origin })).status], [Host, Origin, status])
      }
    })
  )

  it.effect("cannot change anything for a page of another site", () =>
    Effect.gen(function* () {
      const before = yield* saved
      const foreign: ReadonlyArray<Record<string, string>> = [
        { Origin: "https://evil.example" },
        { Origin: "null" },
        { Origin: "http://127.0.0.1:9" },
        { Origin: "http://localhost" },
        { Origin: "https://flow.example.com.evil.example" },
        { "Sec-Fetch-Site": "cross-site" },
        { Origin: "http://127.0.0.1", "Sec-Fetch-Site": "cross-site" }
      ]
      for (const headers of foreign) {
        for (const { status, type } of [yield* save(headers), yield* ask("DELETE", "/v1/mytenant/archives", headers)]) {
          assert.deepStrictEqual([headers, status, type], [headers, 403, "/problems/foreign-origin"])
        }
        // What reads is answered: the page cannot see the answer.
        assert.strictEqual((yield* ask("GET", "/v1/mytenant/archives", headers)).status, 200)
      }
      assert.strictEqual(yield* saved, before)
    })
  )

  it.effect("can change what its own page asks for, and so can programs", () =>
    Effect.gen(function* () {
      const own: ReadonlyArray<Record<string, string>> = [
        {},
        { Origin: "http://127.0.0.1", "Sec-Fetch-Site": "same-origin" },
        { Host: "localhost:4242", Origin: "http://localhost:4242" },
        { Host: "flow.example.com", Origin: "https://flow.example.com" },
        // The proxy has put its own address of the gateway in place of the name.
        { Host: "127.0.0.1:4242", Origin: "https://flow.example.com" },
        { "Sec-Fetch-Site": "none" }
      ]
      const before = yield* saved
      for (const headers of own) assert.deepStrictEqual([headers, (yield* save(headers)).status], [headers, 200])
      assert.strictEqual(yield* saved, before + own.length)
    })
  )

  it.effect("cannot send JSON as something that needs no permission", () =>
    Effect.gen(function* () {
      for (const type of ["text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", ""]) {
        const answer = yield* search({ "Content-Type": type })
        assert.deepStrictEqual([type, answer.status, answer.type], [type, 415, "/problems/unsupported-media-type"])
      }
      const accepted = ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"]
      for (const type of accepted) assert.notStrictEqual((yield* search({ "Content-Type": type })).status, 415)
      assert.notStrictEqual((yield* search({})).status, 415)
    })
  )

  it.effect("gets a page of documentation that may call nothing but the gateway", () =>
    Effect.gen(function* () {
      const { headers } = yield* ask("GET", "/docs", {})
      const policy = headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      assert.notMatch(policy, /https?:|\*/)
    })
  )
})
