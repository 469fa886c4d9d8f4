import { expect, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { ApiKey } from "../../src/services/keys/ApiKey.ts"
import { TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { basic, gatewayWith, memoryGatewayWith, Rules, users } from "./rules.ts"

/** A request with headers; its body is sent as JSON. */
const call = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(async () => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { "content-type": "application/json" }
      const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: text === "" ? undefined : JSON.parse(text)
      }
    })
  )

type Answer = Effect.Success<ReturnType<typeof call>>

const as = (user: string) => ({ authorization: basic(user) })
const withKey = (key: string) => ({ "x-api-key": key })
const keysOf = (tenant: string) => `/v1/${tenant}/keys`

/** Creates a key and returns the answer's body. */
const make = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string>>,
  request: Readonly<Record<string, unknown>> = {},
  tenant = "mytenant"
) {
  const made = yield* call("POST", keysOf(tenant), headers, { name: "test", role: "viewer", ...request })
  expect([made.status, made.text]).toEqual([201, expect.any(String)])
  return made.json as { readonly id: string; readonly key: string; readonly expiresAt: string | null; owner: string }
})

/** The status of a small read with a key. */
const statusWith = (key: string, path = "/v1/mytenant/archives") =>
  Effect.map(call("GET", path, withKey(key)), ({ status }) => status)

const listed = Effect.map(call("GET", keysOf("mytenant"), as("alice")), ({ json }) => json as ReadonlyArray<ApiKey>)

const suite = (it: Vitest.MethodsNonLive<TestGateway | Rules>) => {
  it.effect("are made, shown once, used in both headers, listed without a secret, and revoked", () =>
    Effect.gen(function* () {
      const made = yield* call("POST", keysOf("mytenant"), as("alice"), { name: "import ä", role: "operator" })
      expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"])
      expect(made.json.key).toMatch(new RegExp(`^fgk_${made.json.id}_[A-Za-z0-9_-]{43}$`))
      const { key, ...shown } = made.json
      expect(shown).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        name: "import ä",
        role: "operator",
        owner: "user:alice",
        parent: null,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        expiresAt: null
      })
      expect(yield* statusWith(key)).toBe(200)
      const bearer = yield* call("GET", "/v1/mytenant/archives", { authorization: `Bearer ${key}` })
      expect(bearer.status).toBe(200)
      const entries = yield* until(listed, (all) => all.find(({ id }) => id === shown.id)?.lastUsedAt !== null)
      expect(entries.find(({ id }) => id === shown.id)).toEqual({
        ...shown,
        lastUsedAt: expect.stringMatching(/Z$/),
        revokedAt: null
      })
      expect(JSON.stringify(entries)).not.toContain(key.slice(13))
      const revoked = yield* call("DELETE", `${keysOf("mytenant")}/${shown.id}`, as("alice"))
      expect([revoked.status, revoked.text]).toEqual([204, ""])
      yield* until(statusWith(key), (status) => status === 401)
      const again = yield* call("DELETE", `${keysOf("mytenant")}/${shown.id}`, as("alice"))
      expect(again.status).toBe(204)
      const { revokedAt } = (yield* listed).find(({ id }) => id === shown.id)!
      expect(revokedAt).toMatch(/Z$/)
    })
  )

  it.effect("hold for one tenant, with the role of the key", () =>
    Effect.gen(function* () {
      const viewer = yield* make(as("root"))
      expect(yield* statusWith(viewer.key)).toBe(200)
      expect(yield* statusWith(viewer.key, "/v1/othertenant/archives")).toBe(404)
      const forbidden = yield* call("DELETE", "/v1/mytenant/archives", withKey(viewer.key))
      expect([forbidden.status, forbidden.json.role]).toEqual([403, "admin"])
      expect(yield* statusWith(viewer.key, keysOf("mytenant"))).toBe(403)
      const bob = yield* call("POST", keysOf("mytenant"), as("bob"), { name: "x", role: "viewer" })
      expect(bob.status).toBe(403)
    })
  )

  it.effect("that do not exist are not found", () =>
    Effect.gen(function* () {
      for (const id of ["00000000", "x", "%20", "ABCDEF01", "a".repeat(3000)]) {
        const answer = yield* call("DELETE", `${keysOf("mytenant")}/${id}`, as("alice"))
        expect([id, answer.status, answer.json.kind]).toEqual([id, 404, "key"])
      }
      // A key of another tenant is one of those.
      const { id, key } = yield* make(as("root"))
      const answer = yield* call("DELETE", `${keysOf("othertenant")}/${id}`, as("root"))
      expect([answer.status, answer.json.kind, yield* statusWith(key)]).toEqual([404, "key", 200])
      expect((yield* listed).find((one) => one.id === id)?.revokedAt).toBe(null)
    })
  )

  it.effect("of wrong requests are refused with all faults at once", () =>
    Effect.gen(function* () {
      const faults: Array<readonly [unknown, ReadonlyArray<string>]> = [
        [{ name: "", role: "owner", more: 1 }, ["/name", "/role", "/more"]],
        [{ name: "a\u0000b", role: "viewer" }, ["/name"]],
        [{ name: "a".repeat(101), role: "viewer" }, ["/name"]],
        [{ name: "a", role: "viewer", expiresInDays: 0 }, ["/expiresInDays"]],
        [{ name: "a", role: "viewer", expiresInDays: 1, expiresAt: "2999-01-01T00:00:00Z" }, ["/expiresInDays"]],
        [{ name: "a", role: "viewer", expiresAt: "2020-01-01T00:00:00Z" }, ["/expiresAt"]],
        [{ name: "a", role: "viewer", expiresAt: "2999-02-31T25:00:00Z" }, ["/expiresAt"]],
        [{ name: "a", role: "viewer", expiresAt: "tomorrow" }, ["/expiresAt"]]
      ]
      for (const [body, pointers] of faults) {
        const answer = yield* call("POST", keysOf("mytenant"), as("alice"), body)
        const found = answer.json.issues.map((issue: { pointer: string }) => issue.pointer)
        expect([body, answer.status, found.sort()]).toEqual([body, 400, pointers.toSorted()])
      }
      const large = yield* call("POST", keysOf("mytenant"), as("alice"), {
        name: "a".repeat(2 ** 20),
        role: "viewer"
      })
      expect(large.status).toBe(413)
    })
  )

  it.effect("end with the key with which they were made, and no later", () =>
    Effect.gen(function* () {
      const parent = yield* make(as("alice"), { role: "admin", expiresInDays: 1 })
      const child = yield* make(withKey(parent.key), { role: "admin", expiresInDays: 30 })
      const grandchild = yield* make(withKey(child.key))
      expect([child.owner, child.expiresAt, grandchild.expiresAt]).toEqual([
        "user:alice",
        parent.expiresAt,
        parent.expiresAt
      ])
      expect(yield* statusWith(grandchild.key)).toBe(200)
      expect((yield* call("DELETE", `${keysOf("mytenant")}/${parent.id}`, as("alice"))).status).toBe(204)
      for (const { key } of [parent, child, grandchild]) yield* until(statusWith(key), (status) => status === 401)
      const all = yield* listed
      for (const { id } of [parent, child, grandchild]) {
        expect(all.find((key) => key.id === id)).toMatchObject({ revokedAt: expect.any(String) })
      }
    })
  )

  it.effect("are cut down to what their owner has now", () =>
    Effect.gen(function* () {
      const rules = yield* Rules
      const { key } = yield* make(as("alice"), { role: "admin" })
      expect(yield* statusWith(key, keysOf("mytenant"))).toBe(200)
      rules.file = { users: { ...users, alice: { password: "", roles: { "*": "operator" } } } }
      expect(yield* statusWith(key, keysOf("mytenant"))).toBe(403)
      expect(yield* statusWith(key)).toBe(200)
      rules.file = { users: { bob: users["bob"]! } }
      expect(yield* statusWith(key)).toBe(401)
      rules.file = { users }
      expect(yield* statusWith(key, keysOf("mytenant"))).toBe(200)
    })
  )

  it.effect("are listed in pages", () =>
    Effect.gen(function* () {
      for (const name of ["a", "b", "c"]) yield* make(as("alice"), { name })
      const all = (yield* listed).map(({ id }) => id)
      const found: Array<string> = []
      let next: string | undefined = `${keysOf("mytenant")}?limit=2`
      while (next !== undefined) {
        const page: Answer = yield* call("GET", next, as("alice"))
        found.push(...page.json.map(({ id }: { id: string }) => id))
        next = /^<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1]
      }
      expect(found).toEqual(all)
      expect((yield* call("GET", keysOf("mytenant"), as("root"))).json.map(({ id }: { id: string }) => id)).toEqual(all)
    })
  )
}

layer(memoryGatewayWith({ users }), { excludeTestServices: true })("API keys in memory", suite)
layer(gatewayWith({ users }), { excludeTestServices: true })("API keys on PostgreSQL", suite)
