import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, gateway, raw } from "../support/gateway.ts"
import { operations } from "../support/operations.ts"

/** Copies of a value in each of which another text is replaced. */
const replaced = (value: unknown, text: string): ReadonlyArray<unknown> => {
  if (typeof value === "string") return [text]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, below]) =>
    replaced(below, text).map((made) =>
      Array.isArray(value) ? value.toSpliced(Number(key), 1, made) : { ...value, [key]: made }
    )
  )
}

const flowline = `
runtime: stream
dag:
  - { type: dataset_generator, settings: { rows: [] }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: dataset_generator, stream: out } ] }
`

layer(gateway(), { excludeTestServices: true })("no text in a JSON body", (it) => {
  it.effect("is an error of the server", () =>
    Effect.gen(function* () {
      const saved = yield* raw("/v1/mytenant/flowline/save", { method: "POST", body: flowlineForm(flowline) })
      const { id } = (yield* Effect.promise(() => saved.json())) as { readonly id: string }
      const bodies = operations.flatMap(({ path, method, operation }) => {
        const example = operation.requestBody?.content["application/json"]?.example
        const target = path.replace("{tenant}", "mytenant").replace(/\{\w+\}/g, "x")
        return example === undefined ? [] : [{ target, method, example }]
      })
      const after = { flowline: id, trigger: { after: { flowline: id } } }
      bodies.push({ target: "/v1/mytenant/schedules/x", method: "PUT", example: after })
      expect(bodies.length).toBeGreaterThan(8)
      for (const { target, method, example } of bodies) {
        for (const body of ["\u0000", "a\u0000b", "\ud800"].flatMap((text) => replaced(example, text))) {
          const sent = JSON.stringify(body)
          const headers = { "content-type": "application/json" }
          const answer = yield* raw(target, { method, headers, body: sent })
          const text = yield* Effect.promise(() => answer.text())
          expect([method, target, sent, answer.status < 500 ? "" : text]).toEqual([method, target, sent, ""])
        }
      }
    })
  )
})
