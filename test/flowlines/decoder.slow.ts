import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Overloaded } from "../../src/errors/Overloaded.ts"
import * as Threads from "../../src/layers/decoder/DecoderThreads.ts"
import { FlowlineDecoder } from "../../src/services/flowlines/Decoder.ts"
import type { FullVersion } from "../../src/services/flowlines/FlowlineStore.ts"
import { compared } from "../../src/services/flowlines/versions/Comparison.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { decode, decodeThere } from "./read.ts"

/** A chain of grok nodes, each with its patterns. */
const file = (nodes: ReadonlyArray<ReadonlyArray<string>>, more: object = {}) => ({
  name: "flowline.json",
  bytes: new TextEncoder().encode(
    JSON.stringify({
      ...more,
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

/** A version whose lines differ from those of other versions here and there. */
const version = (number: number, lines: number): FullVersion => {
  const description = Array.from({ length: lines }, (_, n) => `line ${n}${n % 500 === 0 ? ` of ${number}` : ""}`)
  return {
    id: FlowlineId("x"),
    version: number,
    current: 2,
    dag: JSON.stringify({ dag: [], description }),
    platformId: "",
    savedAt: "2026-01-01T00:00:00.000Z",
    file: { name: "f.yaml", bytes: new TextEncoder().encode(`${description.join("\n")}\n`) },
    restored: undefined
  }
}

/** A comment that makes the file large. */
const large = { description: "x".repeat(40_000) }

layer(Threads.layer, { excludeTestServices: true })("decoding in threads", (it) => {
  it.effect("gives what decoding at once gives, the issues included", () =>
    Effect.gen(function* () {
      const light = yield* decodeThere(file([many(3)]))
      expect(light.flowline.dag).toHaveLength(3)
      const heavy = yield* decodeThere(file([many(50)]))
      expect(heavy.flowline.dag[1]?.settings["patterns"]).toEqual(many(50))
      expect(JSON.parse(heavy.dag).dag[1].settings.patterns).toEqual(many(50))
      const refused = yield* Effect.flip(decodeThere(file([many(20), [...many(20), "%{NO_SUCH_PATTERN}"]])))
      expect(refused.issues).toEqual([expect.objectContaining({ pointer: "/dag/2/settings/patterns/20" })])
    })
  )

  it.effect("keeps a large document in its thread, and tells the same of it", () =>
    Effect.gen(function* () {
      expect(yield* decodeThere(file([many(2)], large))).toMatchObject({ flowline: large })
      const faults = { patterns: ["%{NO_SUCH_PATTERN}"], colour: "red" }
      const [small, big] = yield* Effect.forEach([{ description: "x" }, large], (more) =>
        Effect.flip(decodeThere(file([faults.patterns], { ...more, colour: faults.colour })))
      )
      expect(big?.issues).toHaveLength(2)
      const places = (issues: ReadonlyArray<{ readonly pointer?: string; readonly line?: number }> = []) =>
        issues.map(({ pointer, line }) => [pointer, line])
      expect(places(big?.issues)).toEqual(places(small?.issues))
      const bytes = new TextEncoder().encode(`{"a": "${large.description}", `)
      const [fault] = (yield* Effect.flip(decodeThere({ name: "f.json", bytes }))).issues ?? []
      expect(fault).toMatchObject({ line: 1, detail: expect.any(String) })
    })
  )

  it.effect("takes the tenant's patterns along, also when they are what makes it heavy", () =>
    Effect.gen(function* () {
      const own = (count: number) => ({
        patterns: {
          version: `v${count}`,
          sources: [
            {
              name: "own",
              text: many(count)
                .map((text, n) => `OWN${n} ${text}`)
                .join("\n")
            }
          ],
          leftOut: []
        }
      })
      for (const count of [2, 60]) {
        for (const more of [{}, large]) {
          expect(yield* decodeThere(file([["%{OWN1:x}"]], more), own(count))).toMatchObject({ flowline: more })
          const { issues } = yield* Effect.flip(decodeThere(file([["%{OWN99:x}"]], more), own(count)))
          expect(issues).toMatchObject([{ pointer: "/dag/1/settings/patterns/0", line: 1 }])
        }
      }
    })
  )

  it.effect("holds up nobody while a file with hundreds of patterns is read", () =>
    Effect.gen(function* () {
      // Turns of this thread while the other one reads: none if it read here.
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const outcome = yield* Effect.exit(decodeThere(file(Array.from({ length: 2 }, (_, n) => many(60, `n${n}-`)))))
      clearInterval(timer)
      if (outcome._tag === "Failure") expect(JSON.stringify(outcome)).toContain("seconds, or too much memory")
      expect(turns).toBeGreaterThan(20)
      expect((yield* decodeThere(file([many(1)]))).flowline.runtime).toBe("stream")
    })
  )

  it.effect("compiles more than a few large patterns in a thread", () =>
    Effect.gen(function* () {
      const logs = (salt: string) => Array.from({ length: 30 }, (_, n) => `${salt}${n} %{HTTPD_COMBINEDLOG}`)
      const read = (salt: string) => decodeThere(file([logs(salt)]))
      yield* read("first")
      const before = process.threadCpuUsage()
      yield* read("second")
      const { user } = process.threadCpuUsage(before)
      const own = process.threadCpuUsage()
      expect(decode(file([logs("third")]))._tag).toBe("Success")
      expect(user).toBeLessThan(process.threadCpuUsage(own).user / 2)
    })
  )

  it.effect("compiles short expressions that take long in a thread", () =>
    Effect.gen(function* () {
      const compiled = <E, R>(read: (salt: string) => Effect.Effect<unknown, E, R>, salt: string) =>
        Effect.gen(function* () {
          const before = process.threadCpuUsage()
          yield* read(salt)
          const { user, system } = process.threadCpuUsage(before)
          return (user + system) / 1000
        })
      for (const expression of ["\\h\\R\\X".repeat(100), "a|".repeat(3500)]) {
        const there = (salt: string) => decodeThere(file([[`${salt}${expression}`]]))
        const here = (salt: string) => Effect.sync(() => decode(file([[`${salt}${expression}`]])))
        expect(yield* compiled(there, "x")).toBeLessThan((yield* compiled(here, "y")) / 2)
        const text = (salt: string) => `SLOW ${salt}${expression}`
        const own = (salt: string) => ({
          patterns: { version: text(salt), sources: [{ name: "own", text: text(salt) }], leftOut: [] }
        })
        const uses = file([["%{SLOW}"]])
        const withOwn = (salt: string) => decodeThere(uses, own(salt))
        const withOwnHere = (salt: string) => Effect.sync(() => decode(uses, own(salt)))
        expect(yield* compiled(withOwn, "v")).toBeLessThan((yield* compiled(withOwnHere, "w")) / 2)
      }
      const nodes = (salt: string) => file(Array.from({ length: 40 }, (_, n) => [`${salt}${n}%{COMBINEDAPACHELOG}`]))
      const manyThere = (salt: string) => decodeThere(nodes(salt))
      const manyHere = (salt: string) => Effect.sync(() => decode(nodes(salt)))
      expect(yield* compiled(manyThere, "p")).toBeLessThan((yield* compiled(manyHere, "q")) / 2)
    })
  )

  it.effect("parses files that take long in a thread", () =>
    Effect.gen(function* () {
      const levels = [1, 2, 3, 4].map(
        (n) =>
          `a${n}: &a${n} [${Array(10)
            .fill(`*a${n - 1}`)
            .join(",")}]`
      )
      for (const text of [`a: ${"]".repeat(30_000)}`, ["a0: &a0 [1,1,1,1,1,1,1,1]", ...levels].join("\n")]) {
        const bytes = new TextEncoder().encode(text)
        yield* Effect.flip(decodeThere({ name: "warm.yaml", bytes }))
        const before = process.threadCpuUsage()
        yield* Effect.flip(decodeThere({ name: "f.yaml", bytes }))
        const there = process.threadCpuUsage(before)
        const own = process.threadCpuUsage()
        expect(decode({ name: "f.yaml", bytes })._tag).toBe("Failure")
        expect(there.user).toBeLessThan(process.threadCpuUsage(own).user / 2)
      }
    })
  )

  it.effect("compares large versions in a thread, with the same outcome", () =>
    Effect.gen(function* () {
      const { compare } = yield* FlowlineDecoder
      /** Milliseconds of this thread's processor time, and what came out. */
      const measured = <A>(work: Effect.Effect<A, Overloaded>) =>
        Effect.gen(function* () {
          const before = process.threadCpuUsage()
          const outcome = yield* work
          const { user, system } = process.threadCpuUsage(before)
          return { outcome, millis: (user + system) / 1000 }
        })
      for (const lines of [10, 300_000]) {
        const [from, to] = [version(1, lines), version(2, lines)]
        const there = yield* measured(compare(TenantId("mytenant"), from, to))
        const here = yield* measured(Effect.sync(() => JSON.stringify(compared(from, to))))
        expect(JSON.parse(there.outcome)).toEqual(JSON.parse(here.outcome))
        if (lines > 10) expect(there.millis).toBeLessThan(here.millis / 2)
      }
    })
  )
})

layer(Threads.limited({ processor: 500, wall: 600_000 }), { excludeTestServices: true })("an endless file", (it) => {
  it.effect("is refused by the processor time of its thread, and the next one is read", () =>
    Effect.gen(function* () {
      const { issues } = yield* Effect.flip(decodeThere(file(Array.from({ length: 60 }, (_, n) => many(60, `e${n}-`)))))
      expect(JSON.stringify(issues)).toContain("seconds, or too much memory")
      expect((yield* decodeThere(file([many(1)]))).flowline.runtime).toBe("stream")
    })
  )
})
