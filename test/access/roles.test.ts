import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api } from "../../src/Api.ts"
import { NeededRole } from "../../src/services/shared/requests/EndpointAnnotations.ts"
import { type Role, roles } from "../../src/services/shared/security/Principal.ts"
import { Authentication, Authorization, RequestRate } from "../../src/services/shared/security/Security.ts"
import { KnownTenant } from "../../src/services/shared/Tenant.ts"
import { documentedRoles } from "./documented.ts"

interface Declared {
  readonly request: string
  readonly role: Role | undefined
  readonly middlewares: ReadonlySet<unknown>
  readonly ofTenant: boolean
}

const declared: Array<Declared> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
    declared.push({
      request: `${endpoint.method} ${path}`,
      role: Context.get(endpoint.annotations, NeededRole),
      middlewares: endpoint.middlewares,
      ofTenant: path.startsWith("/v1/{tenant}")
    })
  }
})

/** Webhooks have separate tokens and check them themselves: test/schedules/hooks.slow.ts. */
const withToken = "POST /v1/{tenant}/hooks/{name}"
const guarded = declared.filter(({ request }) => request !== withToken)

describe("every endpoint", () => {
  it("declares the role that it needs, and is guarded", () => {
    expect(guarded.length).toBe(declared.length - 1)
    for (const { request, role, middlewares, ofTenant } of guarded) {
      expect([request, roles]).toEqual([request, expect.arrayContaining([role])])
      for (const middleware of [Authentication, Authorization, RequestRate]) {
        expect([request, middlewares.has(middleware)]).toEqual([request, true])
      }
      expect([request, middlewares.has(KnownTenant)]).toEqual([request, ofTenant])
    }
  })

  it("needs the role that the documents say", () => {
    expect(documentedRoles).toEqual(new Map(guarded.map(({ request, role }) => [request, role])))
  })
})
