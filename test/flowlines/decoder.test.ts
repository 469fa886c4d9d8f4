import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Threads from "../../src/layers/decoder/Threads.ts"
import { FlowlineDecoder } from "../../src/services/flowlines/Decoder.ts"

/** A chain of grok nodes, each with its patterns. */
const file = (nodes: ReadonlyArray<ReadonlyArray<string>>) => ({
  name: "flowline.json",
  bytes: new TextEncoder().encode(
    JSON.stringify({
      runtime: "stream",
      dag: [
        { type: "generator_input", component: "n0", settings: { messages: ["x"] }, publish: [{ stream: "out" }] },
        ...nodes.map((patterns, n) => ({
          type: "grok",
          component: `n${n + 1}`,
          settings: { patterns },
          subscribe: [{ component: `n${n}`, stream: "out" }],
          publish: [{ stream: "out" }]
        })),
        { type: "show", subscribe: [{ component: `n${nodes.length}`, stream: "out" }] }
      ]
    })
  )
})

/** Patterns that are all different, so that none is compiled already. */
const many = (count: number, salt = "") =>
  Array.from({ length: count }, (_, n) => `%{IP:a${n}} %{NUMBER:b${n}} ${salt}${n}`)

layer(Threads.layer, { excludeTestServices: true })("decoding in threads", (it) => {
  it.effect("gives what decoding at once gives, the issues included", () =>
    Effect.gen(function* () {
      const decoder = yield* FlowlineDecoder
      const light = yield* decoder.decode(file([many(3)]))
      expect(light.flowline.dag).toHaveLength(3)
      const heavy = yield* decoder.decode(file([many(50)]))
      expect(heavy.flowline.dag[1]?.settings["patterns"]).toEqual(many(50))
      const refused = yield* Effect.flip(decoder.decode(file([many(20), [...many(20), "%{NO_SUCH_PATTERN}"]])))
      expect(refused.issues).toEqual([expect.objectContaining({ pointer: "/dag/2/settings/patterns/20" })])
    })
  )

  it.effect("holds up nobody while a file with hundreds of patterns is read", () =>
    Effect.gen(function* () {
      const decoder = yield* FlowlineDecoder
      // Turns of this thread while the other one reads: none if it read here.
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const outcome = yield* Effect.exit(decoder.decode(file(Array.from({ length: 2 }, (_, n) => many(60, `n${n}-`)))))
      clearInterval(timer)
      if (outcome._tag === "Failure") expect(JSON.stringify(outcome)).toContain("seconds, or too much memory")
      expect(turns).toBeGreaterThan(20)
      expect((yield* decoder.decode(file([many(1)]))).flowline.runtime).toBe("stream")
    })
  )
})
