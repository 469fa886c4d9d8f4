import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { form } from "../../packages/client/src/FlowGateway.ts"
import { bank } from "../../src/languages/grok/banks/Banks.ts"
import { examples } from "../../src/languages/grok/banks/examples.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

layer(memoryGateway(), { excludeTestServices: true })("the list of grok patterns", (it) => {
  for (const ecsCompatibility of ["disabled", "v1"] as const) {
    it.effect(`has every pattern of the bank, by name (${ecsCompatibility})`, () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        const { patterns, leftOut } = yield* client.operators.patterns({ query: { ecsCompatibility } })
        const built = bank(ecsCompatibility === "v1" ? "ecs-v1" : "legacy")
        const names = patterns.map(({ name }) => name)
        assert.deepStrictEqual(names, names.toSorted())
        for (const [name, regex] of built) {
          const found = patterns.find((pattern) => pattern.name === name)
          if (found?.source === undefined) assert.strictEqual(found?.regex, regex)
        }
        assert.deepStrictEqual(leftOut, [])
        const level = patterns.find(({ name }) => name === "LOGLEVEL")
        assert.strictEqual(level?.example, "WARN")
      })
    )

    it.effect(`has examples of which their patterns match all (${ecsCompatibility})`, () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        const { patterns } = yield* client.operators.patterns({ query: { ecsCompatibility } })
        for (const { name, example, source } of patterns) {
          if (example === undefined || source !== undefined) continue
          const { results } = yield* client.operators.test({
            params: { operator: "grok" },
            query: {},
            payload: form({ input: example, pattern: `\\A(?<all>%{${name}})\\z`, ecsCompatibility, split: "none" })
          })
          const all = results[0]?.captures?.find((capture) => capture.name === "all")?.value
          assert.strictEqual(all, example, name)
        }
      })
    )
  }

  it.effect("has an example for no pattern that does not exist", () =>
    Effect.sync(() => {
      const unknown = [...examples.keys()].filter((name) => !bank("legacy").has(name) && !bank("ecs-v1").has(name))
      assert.deepStrictEqual(unknown, [])
    })
  )

  it.effect("refuses an unknown tenant", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const failure = yield* Effect.flip(client.operators.patterns({ query: { tenant: "nobody" } }))
      assert.strictEqual(failure._tag, "NotFound")
    })
  )
})
