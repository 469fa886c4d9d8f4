import { gzipSync } from "node:zlib"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, raw } from "../support/gateway.ts"

layer(memoryGateway(), { excludeTestServices: true })("a body with a content coding", (it) => {
  const send = (method: string, path: string, coding: string, type: string, body?: string) =>
    Effect.gen(function* () {
      const headers = { "content-type": type, "content-encoding": coding }
      const coded = body === undefined || !/gzip/i.test(coding) ? body : gzipSync(body)
      const answer = yield* raw(path, { method, headers, ...(coded === undefined ? {} : { body: coded }) })
      const text = yield* Effect.promise(() => answer.text())
      return { status: answer.status, accepts: answer.headers.get("accept-encoding"), text }
    })
  const json = "application/json"
  const form = "multipart/form-data; boundary=x"
  const search = "/v1/mytenant/search"

  it.effect("is refused with the coding that is accepted, whether it is JSON, a form or unknown to the path", () =>
    Effect.gen(function* () {
      for (const [path, coding, type] of [
        [search, "gzip", json],
        [search, "GZIP", json],
        [search, "identity, gzip", json],
        [search, "br", json],
        ["/v1/mytenant/flowline/save", "gzip", form],
        ["/v1/flower/grok", "gzip", form],
        ["/v1/mytenant/schedules/x/run", "gzip", json]
      ] as const) {
        const { status, accepts, text } = yield* send("POST", path, coding, type, "{}")
        expect([path, coding, status, accepts]).toEqual([path, coding, 415, "identity"])
        expect(JSON.parse(text)).toMatchObject({
          type: "/problems/unsupported-media-type",
          detail: `The body has the content coding "${coding}"; send it as it is, without Content-Encoding`
        })
      }
    })
  )

  it.effect("that changes nothing is read, and none is looked for where there is no body", () =>
    Effect.gen(function* () {
      for (const coding of ["identity", "Identity"]) {
        expect((yield* send("POST", search, coding, json, "{}")).text).toContain('"pointer":"/index"')
      }
      expect((yield* send("GET", "/v1/platform/tenant", "gzip", json)).status).toBe(200)
      expect((yield* send("DELETE", "/v1/mytenant/archives", "gzip", json)).status).toBe(200)
    })
  )
})
