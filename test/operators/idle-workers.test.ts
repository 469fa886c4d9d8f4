import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { guarded, test, tight } from "./testerServer.ts"

// Workers end as soon as they are idle, so nearly every test below starts while one of them is ending.
layer(guarded({ ...tight, idleMillis: 0 }), { excludeTestServices: true })("workers without work", (it) => {
  it.effect("are let go without taking a test with them", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 2; round++) {
        const all = yield* Effect.forEach(
          ["grok", "flowlet"],
          (operator) => test(operator, { input: "a 1\nb 2", ...programs[operator] }),
          { concurrency: 2 }
        )
        for (const { results } of all)
          expect(results.map(({ matched, output }) => [matched, output])).toEqual([
            [true, { word: "a" }],
            [true, { word: "b" }]
          ])
      }
    })
  )
})

const programs: Readonly<Record<string, { pattern: string }>> = {
  grok: { pattern: "^%{WORD:word}" },
  flowlet: { pattern: "return { word: event.message[0] }" }
}
