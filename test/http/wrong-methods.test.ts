import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../../src/Http.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

const all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]

layer(memoryGateway(), { excludeTestServices: true })("a method that a known path does not have", (it) => {
  it.effect("is 405 on every path, with the Allow that OPTIONS says", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const port = Number(new URL(url).port)
      const answered: Array<unknown> = []
      const expected: Array<unknown> = []
      for (const { template, methods } of table.entries) {
        const path = template.replace("{tenant}", "mytenant").replace(/\{\w+\}|\*/g, "x")
        const allow = [...methods].sort().join(", ")
        for (const method of ["OPTIONS", ...all.filter((method) => !methods.has(method))]) {
          const { status, headers } = yield* Effect.promise(() => rawRequest(port, method, path))
          answered.push([method, path, status, headers.get("allow")])
          expected.push([method, path, method === "OPTIONS" ? 204 : 405, allow])
        }
      }
      expect(answered).toEqual(expected)
      expect(answered).toContainEqual(["DELETE", "/v1/mytenant/flowline/save", 405, "POST"])
    })
  )

  it.effect("is 404 below an unknown tenant", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const answer = yield* Effect.promise(() =>
        rawRequest(Number(new URL(url).port), "DELETE", "/v1/nosuch/flowline/save")
      )
      expect([answer.status, answer.headers.get("allow")]).toEqual([404, undefined])
    })
  )
})
