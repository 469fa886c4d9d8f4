import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

layer(memoryGateway(), { excludeTestServices: true })("a request target", (it) => {
  const told = Effect.fnUntraced(function* (target: string, headers: Readonly<Record<string, string>> = {}) {
    const port = Number(new URL((yield* TestGateway).url).port)
    const { status, body } = yield* Effect.promise(() => rawRequest(port, "GET", target, headers))
    return [status, (JSON.parse(body.toString()) as { readonly detail?: string }).detail]
  })

  it.effect("that cannot be decoded is told so", () =>
    Effect.gen(function* () {
      const percent = "The path has a % that begins no character in UTF-8; a % itself is written %25"
      for (const name of ["100%.txt", "%zz", "%ff", "%C3", "%ED%A0%80"]) {
        expect(yield* told(`/v1/mytenant/registry/download/${name}`)).toEqual([404, percent])
        expect(yield* told(`/v1/mytenant/flowline/${name}?version=1`)).toEqual([404, percent])
      }
      const nul = "The path has a NUL (%00), which no name contains"
      expect(yield* told("/v1/mytenant/conf/a%00b")).toEqual([404, nul])
      const unknown = "There is no endpoint at this path; GET /docs lists all endpoints"
      expect(yield* told("/v1/mytenant/nothing?name=100%")).toEqual([404, unknown])
    })
  )

  it.effect("with a fragment is refused, in whatever form it comes", () =>
    Effect.gen(function* () {
      const detail = "The request target has a #, which begins a fragment; write it %23"
      for (const target of [
        "/v1/platform/tenant#a",
        "/v1/mytenant/flowline#limit=1",
        "http://a/v1/mytenant/conf#a/b"
      ]) {
        expect(yield* told(target)).toEqual([400, detail])
      }
    })
  )

  it.effect("is served for hosts that are well-formed only", () =>
    Effect.gen(function* () {
      for (const Host of ["a b", "localhost/x", "user@localhost", "[::1", "::1", "localhost:x", "\xe9", "a:1:2"]) {
        const detail = `The Host header ${JSON.stringify(Host)} is no host with or without a port`
        for (const path of ["/v1/platform/tenant", "/health/live"]) {
          expect(yield* told(path, { Host })).toEqual([400, detail])
        }
      }
      for (const Host of ["localhost:", "LOCALHOST:80", "[::1]:4242", "10.0.0.1", "my_host", "127.0.0.1."]) {
        expect([Host, ...(yield* told("/v1/platform/tenant", { Host }))]).toEqual([Host, 200, undefined])
      }
    })
  )
})
