import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { act, places, settings } from "./support.ts"

/** The niceness of each thread of a process, lowest first. */
const nicenesses = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => {
      try {
        const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1")
        return [Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16])]
      } catch {
        // It has ended since it was listed.
        return []
      }
    })
    .sort((a, b) => a - b)

describe.runIf(process.platform === "linux")("a run", () => {
  it.live("has a lower priority than the gateway, except for the watch that ends it with its gateway", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { pid } = yield* running(settings(root), act("test_family"))
      yield* Effect.promise(async () => {
        const [own = 0] = nicenesses(process.pid)
        const run = pid()
        await eventually("its threads are lowered", () => {
          const [, ...lowered] = nicenesses(run)
          return lowered.length > 0 && lowered.every((niceness) => niceness > own)
        })
        const [watch, ...others] = nicenesses(run)
        expect(watch).toBe(own)
        expect(new Set(others)).toEqual(new Set([Math.min(19, own + 4)]))
      })
    })
  )
})
