import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, raw } from "../support/gateway.ts"
import { form, tenant, upload } from "./support.ts"

const put = (path: string, parts: Readonly<Record<string, string>>) =>
  Effect.map(raw(`/v1/${tenant}/resources/${path}`, { method: "PUT", body: form(parts) }), ({ status }) => status)

layer(memoryGateway(), { excludeTestServices: true })("optional parts that are empty", (it) => {
  it.effect("count as absent in copies, moves and registrations", () =>
    Effect.gen(function* () {
      yield* upload({ artifact: "empty" }, "a", "a.txt")
      const from = "org/example/empty/a.txt"
      expect(yield* put(`copy/${from}`, { destination: "copies/a.txt", version: "", embedded: "" })).toBe(201)
      expect(yield* put(`move/copies/a.txt`, { destination: "moved/a.txt", version: " ", embedded: " " })).toBe(201)
      const none = { version: "", size: "", properties: "", compression: "", encoding: "" }
      // There is nothing to register.
      expect([404, 504]).toContain(yield* put("register/b", { url: "nosuch", ...none }))
    })
  )
})
