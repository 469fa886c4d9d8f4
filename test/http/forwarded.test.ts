import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { proxyFault, trustedProxies } from "../../src/layers/http/server/Forwarded.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

const { isTrusted, read } = trustedProxies(["10.0.0.0/8", "fd00::7", "loopback"])
const peer = "10.0.0.1"
const clientOf = (headers: Record<string, string>) => read(peer, headers).client

describe("the client of a request through trusted proxies", () => {
  it("is the rightmost hop that is none of them", () => {
    const cases: ReadonlyArray<readonly [headers: Record<string, string>, client: string]> = [
      [{}, peer],
      [{ "x-forwarded-for": "192.0.2.1" }, "192.0.2.1"],
      [{ "x-forwarded-for": "198.51.100.9, 192.0.2.1" }, "192.0.2.1"],
      [{ "x-forwarded-for": "198.51.100.9,192.0.2.1, 10.9.9.9,127.0.0.1" }, "192.0.2.1"],
      [{ "x-forwarded-for": "10.0.0.3, 10.0.0.2" }, "10.0.0.3"],
      [{ "x-forwarded-for": "192.0.2.1:4711" }, "192.0.2.1"],
      [{ "x-forwarded-for": "::ffff:192.0.2.1" }, "192.0.2.1"],
      [{ "x-forwarded-for": "2001:DB8:0:0::1" }, "2001:db8::1"],
      [{ "x-forwarded-for": "192.0.2.1, fd00:0::7" }, "192.0.2.1"],
      [{ forwarded: "for=192.0.2.1" }, "192.0.2.1"],
      [{ forwarded: 'For="[2001:db8::1]:80";proto=https, for=10.0.0.2' }, "2001:db8::1"],
      [{ forwarded: 'for=192.0.2.1;host="a,b;c";by=_x , for=10.0.0.2' }, "192.0.2.1"],
      [{ forwarded: "for=192.0.2.1:80" }, "192.0.2.1"],
      // Nothing is known of the hops before an unknown one.
      [{ "x-forwarded-for": "192.0.2.1, unknown" }, peer],
      [{ "x-forwarded-for": "192.0.2.1, _hidden, 10.0.0.2" }, "10.0.0.2"],
      [{ forwarded: "for=192.0.2.1, for=_hidden" }, peer],
      [{ forwarded: "for=192.0.2.1, proto=https" }, peer],
      // Malformed.
      ...["", ",", "1.2.3", "1.2.3.4.5", "[1.2.3.4]", "fe80::1%eth0", "a\u0000", "0x7f.1", "1.2.3.4:", "<b>"].map(
        (text) => [{ "x-forwarded-for": text }, peer] as const
      ),
      ...["for", "for=", 'for="192.0.2.1', "for=192.0.2.1;for=192.0.2.2", "=192.0.2.1", "for=192.0.2.1;;", ";"].map(
        (text) => [{ forwarded: text }, peer] as const
      ),
      [{ forwarded: "for=;", "x-forwarded-for": "192.0.2.1" }, "192.0.2.1"],
      // One of the two comes from the client.
      [{ forwarded: "for=192.0.2.1", "x-forwarded-for": "192.0.2.1" }, "192.0.2.1"],
      [{ forwarded: "for=192.0.2.1", "x-forwarded-for": "192.0.2.2" }, peer]
    ]
    for (const [headers, client] of cases) expect([headers, clientOf(headers)]).toEqual([headers, client])
  })

  const address = Schema.String.check(Schema.isPattern(/^192\.0\.2\.(1[0-9]{2}|[1-9][0-9]?)$/))
  const inside = Schema.String.check(Schema.isPattern(/^10\.[0-9]\.[0-9]\.[0-9]$/))
  it.effect.prop(
    "is the same whatever it sends before its own address",
    { sent: Schema.Array(Schema.String), client: address, hops: Schema.Array(inside) },
    ({ sent, client, hops }) =>
      Effect.sync(() => {
        const list = [...sent, client, ...hops].join(",")
        expect(clientOf({ "x-forwarded-for": list })).toBe(client)
      }),
    { arbitrary: { runs: 500 } }
  )

  it.effect.prop(
    "is an address whatever the headers are",
    { forwarded: Schema.String, list: Schema.String },
    ({ forwarded, list }) =>
      Effect.sync(() => expect(clientOf({ forwarded, "x-forwarded-for": list })).toMatch(/^[0-9a-f.:]+$/)),
    { arbitrary: { runs: 500 } }
  )

  it("takes no longer for long headers", () => {
    // The largest headers are 16 KiB; a quadratic reader would take minutes for these.
    for (const text of [
      "a=".repeat(500_000),
      `for="${"\\".repeat(1_000_000)}`,
      " ".repeat(1_000_000),
      ";a=b".repeat(250_000)
    ]) {
      expect(clientOf({ forwarded: text, "x-forwarded-for": text })).toBe(peer)
    }
  })

  it("can have asked for another host and scheme", () => {
    const told = (headers: Record<string, string>) => {
      const { host, protocol } = read(peer, headers)
      return [host, protocol]
    }
    expect(told({ "x-forwarded-host": "a.example:8443", "x-forwarded-proto": "HTTPS" })).toEqual([
      "a.example:8443",
      "https"
    ])
    expect(told({ forwarded: "for=1.2.3.4;host=a.example;proto=https, for=10.0.0.2;host=b;proto=http" })).toEqual([
      "a.example",
      "https"
    ])
    expect(told({ "x-forwarded-host": "a.example, b.example", "x-forwarded-proto": "https,http" })).toEqual([
      "b.example",
      "http"
    ])
    for (const wrong of ["a b", "a/b", "<b>", "a:b", "a.example:123456", "[::1", ""]) {
      expect(told({ "x-forwarded-host": wrong, "x-forwarded-proto": wrong })).toEqual([undefined, undefined])
    }
  })
})

it("the list of trusted proxies has addresses, ranges and loopback, and nothing that trusts everybody", () => {
  for (const entry of ["10.0.0.1", "10.1.0.0/16", "fd00::7", "fd00::/8", "loopback", "::ffff:10.0.0.1"]) {
    expect([entry, proxyFault(entry)]).toEqual([entry, undefined])
  }
  for (const entry of [
    "",
    "nginx",
    "10.0.0.0/33",
    "10.0.0",
    "fe80::1%eth0",
    "10.0.0.1:80",
    "[::1]",
    "10.0.0.0/8/8",
    "1/8"
  ]) {
    expect([entry, proxyFault(entry)]).toEqual([entry, expect.stringMatching(/^is no address or range; expected/)])
  }
  for (const entry of ["0.0.0.0/0", "::/0", "::/00"]) {
    expect([entry, proxyFault(entry)]).toEqual([entry, expect.stringMatching(/^would trust everybody/)])
  }
  expect(trustedProxies(["::ffff:10.0.0.1"]).isTrusted("10.0.0.1")).toBe(true)
  expect(["127.8.8.8", "::1", "10.255.1.1", "fd00::7"].map(isTrusted)).toEqual([true, true, true, true])
  expect(["11.0.0.1", "fd00::8", "", "x"].map(isTrusted)).toEqual([false, false, false, false])
})

const ask = (method: string, path: string, headers: Record<string, string> = {}, body = "") =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(() => rawRequest(Number(new URL(url).port), method, path, headers, body))
  )

const list = "/v1/mytenant/archives"

layer(memoryGateway({ hosts: ["flow.example.com"], trustedProxies: ["loopback"] }), { excludeTestServices: true })(
  "behind a trusted proxy",
  (it) => {
    it.effect("the host that the client has asked for is checked, and that of the proxy, too", () =>
      Effect.gen(function* () {
        const status = (headers: Record<string, string>, method = "GET") =>
          Effect.map(ask(method, list, headers), (answer) => answer.status)
        expect(yield* status({ "X-Forwarded-Host": "flow.example.com" })).toBe(200)
        expect(yield* status({ "X-Forwarded-Host": "evil.example" })).toBe(421)
        expect(yield* status({ Forwarded: "for=1.2.3.4;host=evil.example" })).toBe(421)
        expect(yield* status({ Host: "evil.example", "X-Forwarded-Host": "flow.example.com" })).toBe(421)
        // To the browser, the page and the address that it calls are the same site.
        const page = { Origin: "https://flow.example.com:8443", "X-Forwarded-Host": "flow.example.com:8443" }
        expect(yield* status(page, "DELETE")).toBe(200)
        expect(yield* status({ Origin: "https://a.example", "X-Forwarded-Host": "localhost" }, "DELETE")).toBe(403)
      })
    )
  }
)

layer(memoryGateway({ hosts: ["flow.example.com"] }), { excludeTestServices: true })(
  "without a trusted proxy",
  (it) => {
    it.effect("nothing that a client says of its host counts", () =>
      Effect.gen(function* () {
        const answer = yield* ask("GET", list, { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" })
        expect(answer.status).toBe(200)
        const hidden = yield* ask("GET", list, { Host: "evil.example", "X-Forwarded-Host": "flow.example.com" })
        expect(hidden.status).toBe(421)
      })
    )
  }
)
