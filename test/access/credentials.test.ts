import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { withHeaders } from "../../packages/client/src/FlowGateway.ts"
import { raw, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { basic, guarded, statusOf } from "./support.ts"

const path = "/v1/mytenant/conf"
const challenge = 'Basic realm="flow-gateway", charset="UTF-8", Bearer realm="flow-gateway"'

const users = {
  alice: { stored: hashOf("wonder:land"), roles: { mytenant: "viewer" } },
  jürgen: { stored: hashOf("Straße".normalize("NFC")), roles: { "*": "admin" } },
  idle: { stored: hashOf("none"), roles: {} }
}

layer(guarded(accessFile(users)), { excludeTestServices: true })("credentials", (it) => {
  it.effect("that are right let a request pass, through the client too", () =>
    Effect.gen(function* () {
      expect(yield* statusOf(path, basic("alice", "wonder:land"))).toBe(200)
      expect(yield* statusOf(path, basic("alice", "wonder:land").replace("Basic", "bASIC  "))).toBe(200)
      // Normal forms of Unicode do not matter.
      expect(yield* statusOf(path, basic("jürgen".normalize("NFD"), "Straße".normalize("NFD")))).toBe(200)
      const { client } = yield* TestGateway
      const call = client.conf.tree({ params: { tenant: "mytenant" } })
      const [denied, allowed] = yield* Effect.all([
        Effect.flip(call),
        withHeaders({ authorization: basic("alice", "wonder:land") })(call)
      ])
      expect(denied).toMatchObject({ _tag: "Unauthorized", type: "/problems/unauthorized", status: 401 })
      expect(allowed).toHaveProperty("channels")
    })
  )

  it.effect("that are missing or wrong are 401 with the schemes, and say no more", () =>
    Effect.gen(function* () {
      const wrong = [
        undefined,
        "",
        basic("alice", "wonder:lan"),
        basic("alice", ""),
        basic("", ""),
        basic("nobody", "wonder:land"),
        basic("constructor", "x"),
        basic("__proto__", "x"),
        "Basic",
        "Basic ",
        "Basic !!!!",
        `Basic ${Buffer.from("alice").toString("base64")}`,
        `Basic ${Buffer.from([0x61, 0x3a, 0xff, 0xfe]).toString("base64")}`,
        basic("alice", "x".repeat(1025)),
        basic("alice", "x".repeat(9000)),
        `Digest ${Buffer.from("alice:wonder:land").toString("base64")}`,
        "Bearer fgk_unknown",
        "Bearer a.b.c"
      ]
      const seen = new Set<string>()
      for (const authorization of wrong) {
        const response = yield* raw(path, authorization === undefined ? {} : { headers: { authorization } })
        const { instance, traceId, requestId, ...body } = yield* Effect.promise(
          () => response.json() as Promise<Record<string, unknown>>
        )
        expect([authorization, response.status, instance]).toEqual([authorization, 401, path])
        const bearer = authorization?.startsWith("Bearer") ? ', error="invalid_token"' : ""
        expect(response.headers.get("www-authenticate")).toBe(challenge + bearer)
        expect(traceId).toMatch(/^[0-9a-f]{32}$/)
        expect(response.headers.get("x-request-id")).toBe(requestId)
        seen.add(JSON.stringify(body))
      }
      expect([...seen].map((text) => JSON.parse(text))).toEqual([
        {
          type: "/problems/unauthorized",
          title: "Authentication required",
          status: 401,
          detail: "The request has no valid credentials"
        }
      ])
    })
  )

  it.effect("of two kinds, or two of a kind, are 400", () =>
    Effect.gen(function* () {
      const authorization = basic("alice", "wonder:land")
      const both = yield* raw(path, { headers: { authorization, "x-api-key": "fgk_x" } })
      expect([
        both.status,
        (yield* Effect.promise(() => both.json() as Promise<Record<string, unknown>>)).detail
      ]).toEqual([400, "Send one credential: Authorization or X-API-Key, not both"])
      const { url } = yield* TestGateway
      const { port } = new URL(url)
      const twice = yield* Effect.promise(() =>
        rawRequest(Number(port), "GET", path, { Authorization: authorization, authorization: "Basic x" })
      )
      expect([twice.status, twice.body.toString()]).toEqual([
        400,
        expect.stringContaining("the header authorization twice")
      ])
      const keys = yield* raw(path, { headers: { "x-api-key": "fgk_a, fgk_b" } })
      expect(keys.status).toBe(401)
    })
  )

  it.effect("are asked for before anything below /v1 is looked at", () =>
    Effect.gen(function* () {
      const anything = [
        ["GET", "/v1/mytenant/conf"],
        ["GET", "/v1/nosuch/conf"],
        ["PATCH", "/v1/mytenant/conf"],
        ["GET", "/v1/mytenant/nothing/there"],
        ["GET", "/v1"],
        ["GET", "/v1/"],
        ["GET", "/v1/platform/tenant?x=1"],
        ["POST", "/v1/mytenant/flowline"],
        ["POST", "/v1/flower/nothing"],
        ["OPTIONS", "/v1/mytenant/conf"],
        ["GET", "/%761/mytenant/conf"],
        ["GET", "/metrics"]
      ] as const
      for (const [method, target] of anything) {
        expect([method, target, yield* statusOf(target, undefined, { method })]).toEqual([method, target, 401])
      }
    })
  )

  it.effect("of who may not see a tenant get the answers of an unknown one", () =>
    Effect.gen(function* () {
      const answers = (tenant: string) =>
        Effect.forEach(
          [
            ["GET", "conf"],
            ["PATCH", "conf"],
            ["OPTIONS", "archives"],
            ["DELETE", "flowline/x"]
          ] as const,
          ([method, rest]) =>
            Effect.gen(function* () {
              const headers = { authorization: basic("alice", "wonder:land") }
              const response = yield* raw(`/v1/${tenant}/${rest}`, { method, headers })
              const body = yield* Effect.promise(() => response.text())
              return [
                response.status,
                body.replaceAll(tenant, "TENANT").replace(/"traceId":"\w+","requestId":"[^"]+"/, "")
              ]
            })
        )
      expect(yield* answers("othertenant")).toEqual(yield* answers("nosuch"))
      expect((yield* answers("mytenant")).map(([status]) => status)).toEqual([200, 405, 204, 403])
    })
  )

  it.effect("are not asked for where nothing of a tenant is told", () =>
    Effect.gen(function* () {
      for (const open of [
        "/health/live",
        "/health/ready",
        "/openapi.json",
        "/docs",
        "/console/",
        "/problems/unauthorized"
      ]) {
        expect([open, yield* statusOf(open)]).toEqual([open, 200])
      }
      expect(yield* statusOf("/nothing")).toBe(404)
    })
  )

  it.effect("with a role for all tenants are needed for metrics", () =>
    Effect.gen(function* () {
      expect(yield* statusOf("/metrics", basic("alice", "wonder:land"))).toBe(403)
      expect(yield* statusOf("/metrics", basic("idle", "none"))).toBe(403)
      expect(yield* statusOf("/metrics", basic("jürgen", "Straße"))).toBe(200)
    })
  )
})

layer(guarded(JSON.stringify({ issuers: [] })), { excludeTestServices: true })("an access file without users", (it) => {
  it.effect("does not offer Basic, and refuses it at once", () =>
    Effect.gen(function* () {
      const response = yield* raw(path, { headers: { authorization: basic("alice", "x") } })
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="flow-gateway"'])
    })
  )
})

layer(guarded(accessFile(users), { cors: ["https://app.example.com"] }), { excludeTestServices: true })(
  "a preflight of a listed origin",
  (it) => {
    it.effect("needs no credentials, and the refusal after it can be read", () =>
      Effect.gen(function* () {
        const origin = { origin: "https://app.example.com" }
        const preflight = yield* raw(path, {
          method: "OPTIONS",
          headers: {
            ...origin,
            "access-control-request-method": "GET",
            "access-control-request-headers": "authorization"
          }
        })
        expect(preflight.status).toBe(204)
        expect(preflight.headers.get("access-control-allow-headers")).toMatch(/Authorization, .*X-API-Key/)
        const refused = yield* raw(path, { headers: origin })
        expect(refused.status).toBe(401)
        expect(refused.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate")
      })
    )
  }
)

layer(guarded(accessFile(users)), { excludeTestServices: true })("credentials from anywhere", (it) => {
  // Those that could be a password are counted, and refused with 429 after a while.
  it.effect.prop(
    "that nobody has are refused, whatever bytes they are",
    { bytes: Schema.Uint8Array, text: Schema.String.check(Schema.isPattern(/^[!-~]{1,80}$/)) },
    ({ bytes, text }) =>
      Effect.gen(function* () {
        for (const credential of [Buffer.from(bytes).toString("base64"), text]) {
          for (const scheme of ["Basic ", "Bearer ", ""]) {
            expect(yield* statusOf(path, scheme + credential)).toBeOneOf([401, 429])
          }
        }
      }),
    { arbitrary: { runs: 60 } }
  )
})
