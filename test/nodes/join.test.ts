import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { join } from "../../src/nodes/processing/Join.ts"
import { seed } from "../support/random.ts"
import { process } from "./memory.ts"
import { issues, of } from "./one.ts"

const sides = { left: { where: 's == "l"', key: ["k"] }, right: { where: 's == "r"', key: ["j"] }, time_field: "t" }
const l = (k: unknown, t: number, n = 0) => ({ s: "l", k, t, n })
const r = (j: unknown, t: number, n = 0) => ({ s: "r", j, t, n })

const joined = async (settings: object, events: ReadonlyArray<Event>, size = 100) => {
  const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, at) =>
    events.slice(at * size, (at + 1) * size)
  )
  const streams = await process(join, { ...sides, window: "10ms", ...settings }, batches)
  return { pairs: streams.get("*") ?? [], alone: streams.get("unmatched") ?? [] }
}

describe("join", () => {
  it("joins near records of both sides, whichever comes first, and tells those without a partner", async () => {
    const events = [r("a", 0), l("a", 10), l("b", 11), r("a", 12), l("c", 13), r("b", 22)]
    expect(await joined({}, events)).toEqual({
      pairs: [
        { ...l("a", 10), right: r("a", 0) },
        { ...l("a", 10), right: r("a", 12) }
      ],
      alone: [l("b", 11), l("c", 13), r("b", 22)]
    })
    const left = await joined({ kind: "left", target: "x.y" }, events)
    expect(left.pairs).toEqual([
      { ...l("a", 10), x: { y: r("a", 0) } },
      { ...l("a", 10), x: { y: r("a", 12) } },
      l("b", 11),
      l("c", 13)
    ])
    expect(left.alone).toEqual([r("b", 22)])
  })

  it("waits for a side that is behind, however far the other one is", async () => {
    const lefts = Array.from({ length: 500 }, (_, at) => l(at, at * 1000))
    const rights = Array.from({ length: 500 }, (_, at) => r(at, at * 1000 + 5))
    expect((await joined({}, [...lefts, ...rights])).pairs).toHaveLength(500)
  })

  it("lets the oldest go beyond its memory, and loses none", async () => {
    const lefts = Array.from({ length: 500 }, (_, at) => l(at, at))
    const { pairs, alone } = await joined({ max_bytes: 20_000 }, [...lefts, r(0, 0), r(499, 499)])
    expect(pairs).toEqual([{ ...l(499, 499), right: r(499, 499) }])
    expect(alone).toHaveLength(500)
  })

  it("fails records of neither side, without a key or without a time", async () => {
    const { errors } = await of(join, { ...sides, window: "1s" }, [{}, l(null, 0), { s: "r", j: 1, t: "soon" }])
    expect(errors).toEqual([
      "the record is one of neither side",
      "a field of the key is missing: k",
      "the field t is not a time"
    ])
    expect(issues(join, { ...sides, window: "0s", left: { where: "a ==", key: ["a", "b"] } })).toEqual(["window"])
    expect(issues(join, { ...sides, window: "1s", left: { where: "a ==", key: ["a", "b"] } })).toEqual([
      "left/where",
      "right/key"
    ])
  })

  const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
  it.effect.prop(
    "makes every pair once and tells every other record once, when each side is in order of time",
    {
      given: Schema.Array(Schema.Struct({ isLeft: Schema.Boolean, k: small(3), step: small(8) })).check(
        Schema.isMaxLength(40)
      ),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))
    },
    ({ given, size }) =>
      Effect.promise(async () => {
        const clocks = { l: 0, r: 0 }
        const events = given.map(({ isLeft, k, step }, n) => {
          clocks[isLeft ? "l" : "r"] += step
          return isLeft ? l(k, clocks.l, n) : r(k, clocks.r, n)
        })
        const near = (a: Event, b: Event) => a["k"] === b["j"] && Math.abs(Number(a["t"]) - Number(b["t"])) <= 10
        const ofSide = (side: string): ReadonlyArray<Event> => events.filter(({ s }) => s === side)
        const [lefts, rights] = [ofSide("l"), ofSide("r")] as const
        const wanted = lefts.flatMap((a) => rights.filter((b) => near(a, b)).map((b) => `${a["n"]}-${b["n"]}`))
        const found = await joined({}, events, size)
        expect(found.pairs.map(({ n, right }) => `${n}-${(right as Event)["n"]}`).sort()).toEqual(wanted.sort())
        const lonely = [
          ...lefts.filter((a) => !rights.some((b) => near(a, b))),
          ...rights.filter((b) => !lefts.some((a) => near(a, b)))
        ]
        expect(found.alone.map(({ n }) => n).sort()).toEqual(lonely.map(({ n }) => n).sort())
      }),
    { arbitrary: { seed, runs: 200 } }
  )
})
