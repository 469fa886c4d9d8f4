import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { derivePasswordHash, formatPasswordHash } from "../../src/services/access/PasswordHash.ts"
import { type Role, roles } from "../../src/services/shared/security/Principal.ts"
import { gateway, raw } from "../support/gateway.ts"
import { documentedRoles } from "./documented.ts"
import { inSeconds, sign, signingKey, startIssuer } from "./issuer.ts"

const tenants = ["mytenant", "othertenant", "nosuch"]
/** Which tenants the role of a principal is for. */
const scopes = ["mytenant", "*"] as const
type Scope = (typeof scopes)[number]
interface Holder {
  readonly role: Role
  readonly scope: Scope
}
const holders: ReadonlyArray<Holder> = roles.flatMap((role) => scopes.map((scope) => ({ role, scope })))
const nameOf = ({ role, scope }: Holder) => `${role}-${scope === "*" ? "all" : scope}`

const password = "correct horse"
const hashed = Effect.gen(function* () {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const cost = { memory: 7168, passes: 1, parallelism: 1 }
  const hash = yield* derivePasswordHash(password, { ...cost, salt, hash: { length: 32 } })
  return formatPasswordHash({ ...cost, salt, hash })
}).pipe(Effect.provide(NodeCrypto.layerKdf))

/** The paths below `/v1/{tenant}` of the table, with values that name nothing. */
const pathOf = (template: string, tenant: string) =>
  template
    .replace("{tenant}", tenant)
    .replace("{operator}", "grok")
    .replaceAll(/\{\w+\}/g, "x")

/** The meaning of an answer: not authenticated, no such tenant, not allowed, or answered by the endpoint. */
const outcome = (status: number, body: string): string => {
  if (status === 401) return "unauthorized"
  const problem = status < 400 || body === "" ? {} : JSON.parse(body)
  const { type, kind, limit } = problem as { type?: string; kind?: string; limit?: string }
  // So many wrong passwords that no further one is looked at.
  if (status === 429 && limit === "failedLogins") return "unauthorized"
  if (status === 404 && kind === "tenant") return "no tenant"
  return type === "/problems/forbidden" ? "forbidden" : "answered"
}

/** What belongs to no tenant is for those alone who have a role for all. */
const ofAllTenants = ["GET /v1/platform/audit", "GET /v1/platform/installation"]

const expected = (holder: Holder | undefined, request: string, role: string, tenant: string | undefined): string => {
  if (holder === undefined) return "unauthorized"
  if (tenant !== undefined) {
    if (tenant === "nosuch" || (holder.scope !== "*" && holder.scope !== tenant)) return "no tenant"
  }
  if (ofAllTenants.includes(request) && holder.scope !== "*") return "forbidden"
  return roles.indexOf(holder.role) >= roles.indexOf(role as Role) ? "answered" : "forbidden"
}

/** A configuration of two tenants with an access file that has a user for each role and scope, and an issuer. */
const setUp = Effect.gen(function* () {
  const conf = mkdtempSync(join(tmpdir(), "flow-access-"))
  for (const tenant of tenants.slice(0, 2)) mkdirSync(join(conf, "tenants", tenant), { recursive: true })
  const key = yield* signingKey("ES256", "one")
  const issuer = yield* startIssuer([key])
  const hash = yield* hashed
  const file = join(conf, "access.json")
  const users = Object.fromEntries(
    holders.map((holder) => [nameOf(holder), { password: hash, roles: { [holder.scope]: holder.role } }])
  )
  const mapped = holders.map(({ role, scope }) => ({
    claim: "groups",
    value: nameOf({ role, scope }),
    tenant: scope,
    role
  }))
  writeFileSync(file, JSON.stringify({ users, issuers: [{ issuer: issuer.issuer, audience: "flow", roles: mapped }] }))
  return { conf, file, issuer, key }
})

const basic = (name: string, word: string) => ({ authorization: `Basic ${btoa(`${name}:${word}`)}` })

it.live(
  "every endpoint lets in who has its role for the tenant, whatever the credential, and nobody else",
  () =>
    Effect.gen(function* () {
      const { conf, file, issuer, key } = yield* setUp
      const walk = Effect.gen(function* () {
        const ask = (request: string, tenant: string | undefined, headers: Record<string, string>) =>
          Effect.gen(function* () {
            const [method = "", template = ""] = request.split(" ")
            const response = yield* raw(pathOf(template, tenant ?? ""), { method, headers })
            const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
            if (isStream) yield* Effect.promise(async () => response.body?.cancel())
            return outcome(response.status, isStream ? "" : yield* Effect.promise(() => response.text()))
          })

        const ownPage = { "sec-fetch-site": "same-origin" }
        /** The cookie of a logged-in browser, as the console sends it. */
        const session = Effect.fnUntraced(function* (credential: object) {
          const answer = yield* raw("/console/session", {
            method: "POST",
            headers: { ...ownPage, "content-type": "application/json" },
            body: JSON.stringify(credential)
          })
          const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";")
          return { ...ownPage, cookie }
        })

        /** The credentials of a holder, by scheme. Keys belong to one tenant, so a holder for all tenants has none. */
        const credentialsOf = Effect.fnUntraced(function* (holder: Holder) {
          const name = nameOf(holder)
          const found: Record<string, Record<string, string>> = { basic: basic(name, password) }
          const token = yield* sign(issuer, key, { sub: name, groups: [name], exp: inSeconds(600) })
          found["token"] = { authorization: `Bearer ${token}` }
          found["session of a password"] = yield* session({ user: name, password })
          found["session of a token"] = yield* session({ token })
          if (holder.scope === "*") return found
          const made = yield* raw(`/v1/${holder.scope}/keys`, {
            method: "POST",
            headers: { ...basic("admin-all", password), "content-type": "application/json" },
            body: JSON.stringify({ name, role: holder.role })
          })
          const { key: secret } = (yield* Effect.promise(() => made.json())) as { key: string }
          found["key"] = { "x-api-key": secret }
          found["bearer key"] = { authorization: `Bearer ${secret}` }
          found["session of a key"] = yield* session({ key: secret })
          return found
        })

        const made = yield* session({ user: "admin-all", password })
        const none: Readonly<Record<string, Record<string, string>>> = {
          nothing: {},
          "a wrong password": basic("admin-all", "wrong"),
          "an unknown user": basic("nobody", password),
          "an unknown session": { ...ownPage, cookie: made.cookie.replace(/=.*/, `=${"A".repeat(43)}`) },
          "an unknown key": { "x-api-key": `fgk_00000000_${"A".repeat(43)}` },
          "a forged token": { authorization: `Bearer ${yield* sign(issuer, yield* signingKey("ES256", "one"))}` }
        }
        const faults: Array<string> = []
        const check = Effect.fnUntraced(function* (
          who: string,
          holder: Holder | undefined,
          headers: Record<string, string>,
          requests: Iterable<readonly [string, string]>
        ) {
          for (const [request, role] of requests) {
            for (const tenant of request.includes("{tenant}") ? tenants : [undefined]) {
              const got = yield* ask(request, tenant, headers)
              const wanted = expected(holder, request, role, tenant)
              if (got !== wanted) faults.push(`${who}: ${request} of ${tenant}: ${got} in place of ${wanted}`)
            }
          }
        })
        // Requests that delete everything come last, so that earlier ones find what they need.
        const requests = [...documentedRoles].sort(
          ([a], [b]) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE"))
        )
        let walked = 0
        for (const holder of holders) {
          for (const [scheme, headers] of Object.entries(yield* credentialsOf(holder))) {
            yield* check(`${nameOf(holder)} by ${scheme}`, holder, headers, requests)
            walked++
          }
        }
        for (const [who, headers] of Object.entries(none)) yield* check(who, undefined, headers, requests)
        expect(faults).toEqual([])
        expect(walked).toBe(roles.length * 11)
      })
      yield* walk.pipe(Effect.provide(gateway({ conf, auth: file, outbound: [issuer.host] }).pipe(Layer.fresh)))
    }).pipe(Effect.scoped),
  240_000
)
