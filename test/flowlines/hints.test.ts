import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, memoryGateway, raw } from "../support/gateway.ts"

const sending = (input: string, settings: string) => `
runtime: stream
dag:
  - { type: ${input}, component: in, publish: [ { stream: out } ] }
  - { type: filter, settings: { where: "message > 1" }, subscribe: [ { component: in, stream: out } ], publish: [ { stream: out } ] }
  - { type: http_output, settings: { url: "http://example.com/"${settings} }, subscribe: [ { component: filter, stream: out } ] }
`

const warnings = (text: string) =>
  Effect.flatMap(raw("/v1/mytenant/flowline/save", { method: "POST", body: flowlineForm(text) }), (answer) =>
    Effect.promise(async () => {
      expect(answer.status).toBe(200)
      const { warnings }: { warnings?: unknown } = JSON.parse(await answer.text())
      return warnings
    })
  )

layer(memoryGateway(), { excludeTestServices: true })("a save", (it) => {
  it.effect("says which records cannot keep their ids, if ids were asked for", () =>
    Effect.gen(function* () {
      const file = "file_input, settings: { path: a.log }"
      expect(yield* warnings(sending(file, ", id_field: rid"))).toBeUndefined()
      expect(yield* warnings(sending("http_input", ""))).toBeUndefined()
      expect(yield* warnings(sending("http_input", ", id_field: rid"))).toEqual([
        expect.stringMatching(/^http_output: Records of in come only once: .* another id in rid\./)
      ])
    })
  )
})
