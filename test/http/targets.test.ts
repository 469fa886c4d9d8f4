import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { rawRequest } from "../support/socket.ts"

layer(memoryGateway(), { excludeTestServices: true })("a request target", (it) => {
  const told = Effect.fnUntraced(function* (target: string) {
    const port = Number(new URL((yield* TestGateway).url).port)
    const { status, body } = yield* Effect.promise(() => rawRequest(port, "GET", target))
    return [status, (JSON.parse(body.toString()) as { readonly detail: string }).detail]
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
})
