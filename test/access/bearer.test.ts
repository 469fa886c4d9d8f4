import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { grantsOf } from "../../src/layers/access/Claims.ts"
import { raw, TestGateway } from "../support/gateway.ts"
import { parseMetrics } from "../support/prometheus.ts"
import { sign, signingKey, startIssuer } from "./issuer.ts"
import { basic, memoryGatewayWith, Rules, users } from "./rules.ts"

/** An issuer with a key, and a gateway that accepts its tokens. */
class Carols extends Context.Service<Carols, Effect.Success<typeof issued>>()("test/Carols") {}
const issued = Effect.gen(function* () {
  const key = yield* signingKey("ES256", "a")
  const issuer = yield* startIssuer([key])
  return { issuer, key }
})

const gateway = Layer.unwrap(
  Effect.map(Carols, ({ issuer }) => {
    const role = (value: string, tenant: string, role: "viewer" | "developer") => ({
      claim: "realm_access.roles",
      value,
      tenant,
      role
    })
    const roles = [role("watch", "mytenant", "viewer"), role("build", "mytenant", "developer")]
    return memoryGatewayWith(
      { issuers: [{ issuer: issuer.issuer, audience: "flow", roles }] },
      { outbound: [issuer.host] }
    )
  })
).pipe(Layer.provideMerge(Layer.effect(Carols, issued)))

const statusOf = Effect.fnUntraced(function* (token: string, path: string, method = "GET") {
  const answer = yield* raw(path, { method, headers: { authorization: `Bearer ${token}` } })
  yield* Effect.promise(() => answer.arrayBuffer())
  return answer.status
})

const withRoles = (...roles: ReadonlyArray<string>) =>
  Effect.flatMap(Carols, ({ issuer, key }) => sign(issuer, key, { realm_access: { roles } }))

layer(gateway, { excludeTestServices: true })("a token", (it) => {
  it.effect("gives the roles of its claims, and without any it sees nothing", () =>
    Effect.gen(function* () {
      const [nobody, viewer, developer] = [
        yield* withRoles(),
        yield* withRoles("watch"),
        yield* withRoles("x", "build")
      ]
      const list = "/v1/mytenant/archives"
      for (const [path, method, statuses] of [
        ["/v1/platform/tenant", "GET", [403, 200, 200]],
        [list, "GET", [404, 200, 200]],
        [`${list}/none`, "DELETE", [404, 403, 404]],
        [list, "DELETE", [404, 403, 403]],
        ["/v1/mytenant/keys", "GET", [404, 403, 403]],
        ["/v1/nosuch/archives", "GET", [404, 404, 404]]
      ] as const) {
        const found = yield* Effect.forEach([nobody, viewer, developer], (token) => statusOf(token, path, method))
        expect([method, path, found]).toEqual([method, path, statuses])
      }
      const answers = yield* Effect.forEach([nobody, viewer], (token) =>
        Effect.flatMap(raw("/v1/nosuch/archives", { headers: { authorization: `Bearer ${token}` } }), (answer) =>
          Effect.promise(() => answer.json() as Promise<Record<string, unknown>>)
        )
      )
      for (const answer of answers) {
        delete answer["traceId"]
        delete answer["requestId"]
      }
      expect(answers[0]).toEqual(answers[1])
    })
  )

  it.effect("that is not valid is 401, whatever it asks for", () =>
    Effect.gen(function* () {
      const valid = yield* withRoles("build")
      for (const token of [`${valid}a`, "a.b.c", "x", valid.slice(0, 12_000).repeat(8)]) {
        expect([token.slice(0, 9), yield* statusOf(token, "/v1/mytenant/archives")]).toEqual([token.slice(0, 9), 401])
        expect(yield* statusOf(token, "/v1/nosuch/archives")).toBe(401)
      }
    })
  )

  it.effect("of an issuer that is away is 401, and a metric counts the attempts", () =>
    Effect.gen(function* () {
      const rules = yield* Rules
      const { key } = yield* Carols
      const away = yield* startIssuer([key])
      yield* away.close
      const roles = [{ claim: "sub", value: "carol", tenant: "*", role: "admin" }] as const
      rules.file = { users, issuers: [...rules.file.issuers!, { issuer: away.issuer, audience: "flow", roles }] }
      const token = yield* sign(away, key)
      // The address is not listed: it is not even asked.
      expect(yield* statusOf(token, "/v1/mytenant/archives")).toBe(401)
      const metrics = yield* Effect.flatMap(raw("/metrics", { headers: { authorization: basic("root") } }), (answer) =>
        Effect.promise(() => answer.text())
      )
      const samples = parseMetrics(metrics).find(({ name }) => name === "flow_issuer_reads_total")?.samples
      expect(samples).toContainEqual(
        expect.objectContaining({ labels: { issuer: away.issuer, outcome: "failed" }, value: 1 })
      )
      expect(yield* statusOf(yield* withRoles("watch"), "/v1/mytenant/archives")).toBe(200)
      expect((yield* TestGateway).settings.outbound).not.toContain(away.host)
    })
  )

  it("has roles by claims of any kind", () => {
    const given = (claims: object, claim: string, value = "flow") =>
      grantsOf(claims, [{ claim, value, tenant: "t", role: "viewer" }]).size === 1
    const cases: ReadonlyArray<readonly [claims: object, claim: string, given: boolean]> = [
      [{ role: "flow" }, "role", true],
      [{ roles: ["a", "flow"] }, "roles", true],
      [{ a: { b: { c: ["flow"] } } }, "a.b.c", true],
      [{ "https://example.com/roles": ["flow"] }, "https://example.com/roles", true],
      [{ scope: "openid flow" }, "scope", true],
      [{ scp: "flow" }, "scp", true],
      // A word within a text that users may write themselves gives no role.
      [{ name: "I flow" }, "name", false],
      [{ scope: "openid flower" }, "scope", false],
      [{ roles: [["flow"], { flow: "flow" }] }, "roles", false],
      [{ roles: { flow: true } }, "roles", false],
      [{ roles: 1 }, "roles", false],
      [{ a: "flow" }, "a.b", false],
      [{}, "constructor.name", false],
      [{ roles: ["flow"] }, "roles.0", false],
      [JSON.parse('{"__proto__":{"roles":"flow"}}') as object, "roles", false]
    ]
    for (const [claims, claim, expected] of cases) {
      expect([claims, claim, given(claims, claim)]).toEqual([claims, claim, expected])
    }
    expect(given({}, "constructor.name", "Object")).toBe(false)
    const role = (value: string, role: "viewer" | "admin", tenant = "t") => ({ claim: "g", value, tenant, role })
    expect(grantsOf({ g: ["a", "b"] }, [role("a", "admin"), role("b", "viewer"), role("b", "viewer", "*")])).toEqual(
      new Map([
        ["t", "admin"],
        ["*", "viewer"]
      ])
    )
  })
})
