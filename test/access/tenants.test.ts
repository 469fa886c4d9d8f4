import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { basic, guarded, replaceAccess, statusOf } from "./support.ts"

const admin = { admin: { stored: hashOf("root"), roles: { "*": "admin" } } }
const authorization = basic("admin", "root")

layer(guarded(accessFile(admin, { tenants: { mytenant: {}, fresh: {}, constructor: {} } })), {
  excludeTestServices: true
})("tenants of the access file", (it) => {
  it.effect("are those that exist, with a folder or with an empty configuration", () =>
    Effect.gen(function* () {
      for (const [tenant, status] of [
        ["mytenant", 200],
        ["fresh", 200],
        ["constructor", 200],
        ["toString", 404],
        ["othertenant", 404]
      ] as const) {
        for (const path of ["conf", "channels", "flowline", "documentation", "flowline/scan/stream"]) {
          expect([tenant, path, yield* statusOf(`/v1/${tenant}/${path}`, authorization)]).toEqual([
            tenant,
            path,
            status
          ])
        }
      }
      const fresh = yield* raw("/v1/fresh/channels", { headers: { authorization } })
      expect(yield* Effect.promise(() => fresh.json())).toEqual({ children: [], errors: [] })
    })
  )

  it.effect("come and go with the file, and are folders again when it lists none", () =>
    Effect.gen(function* () {
      yield* TestGateway
      yield* replaceAccess(accessFile(admin))
      const statuses = Effect.forEach(["fresh", "othertenant"], (tenant) =>
        statusOf(`/v1/${tenant}/conf`, authorization)
      )
      yield* until(statuses, (seen) => String(seen) === "404,200")
      yield* replaceAccess(accessFile(admin, { tenants: {} }))
      yield* until(statuses, (seen) => String(seen) === "404,404")
    })
  )
})
