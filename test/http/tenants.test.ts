import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../../src/Http.ts"
import { flowlineForm, memoryGateway, raw } from "../support/gateway.ts"

const paths = [
  "archives",
  "archives/x",
  "conf",
  "conf/a/b",
  "flowline",
  "flowline/save",
  "flowline/executions",
  "flowline/executions/x",
  "flowline/executions/x/events",
  "flowline/executions/x/output",
  "flowline/x/executions/y",
  "flowline/x"
]

layer(memoryGateway(), { excludeTestServices: true })("an unknown tenant", (it) => {
  it.effect("is not found on any path, with any method", () =>
    Effect.gen(function* () {
      for (const tenant of ["nosuch", "MYTENANT", "..", "%2e%2e", "__proto__", "*", "a".repeat(300), "%zz"]) {
        for (const path of paths) {
          for (const method of ["GET", "HEAD", "PUT", "PATCH", "OPTIONS", "DELETE", "POST"]) {
            const body = method === "POST" ? { body: flowlineForm("x") } : {}
            const response = yield* raw(`/v1/${tenant}/${path}`, { method, ...body })
            yield* Effect.promise(() => response.arrayBuffer())
            expect([tenant, path, method, response.status]).toEqual([tenant, path, method, 404])
          }
        }
      }
    })
  )

  it.effect("a wrong method on a path of a known one is 405 with Allow", () =>
    Effect.gen(function* () {
      const response = yield* raw("/v1/mytenant/archives", { method: "PUT" })
      expect([response.status, response.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD"])
      expect(table.find("/v1/mytenant/archives")?.template).toBe("/v1/{tenant}/archives")
    })
  )

  it.effect("an answer without a body says that it has none", () =>
    Effect.gen(function* () {
      const response = yield* raw("/v1/mytenant/archives", { method: "DELETE" })
      expect([response.status, response.headers.get("content-length")]).toEqual([200, "0"])
      expect([response.headers.get("content-type"), response.headers.get("transfer-encoding")]).toEqual([null, null])
    })
  )
})
