import { readdirSync, readlinkSync } from "node:fs"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { childrenOf, runnersOf } from "../support/process-gateway.ts"
import { allRefused, hasPython, Victim, victim } from "./victim.ts"

/** Starts a command with foreign files open, at descriptor numbers that Node does not check. */
const inheriting = [
  "python3",
  "-c",
  "import os, sys; [os.dup2(os.open('/', os.O_RDONLY), at) for at in (3, 40, 101)]; os.execvp(sys.argv[1], sys.argv[1:])"
]

const below = (pid: number): ReadonlyArray<number> => childrenOf(pid).flatMap((child) => [child, ...below(child)])

/** Whether the process has the root of all files open, which no program opens itself. */
const hasThem = (pid: number): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((number) => readlinkSync(`/proc/${pid}/fd/${number}`) === "/")
  } catch {
    // The process, or one of its files, has disappeared meanwhile.
    return false
  }
}

describe.skipIf(!hasPython || process.platform !== "linux")("files that the gateway was started with", () => {
  for (const isolation of ["auto", "off"]) {
    layer(victim({ FLOW_ISOLATION: isolation }, inheriting), { excludeTestServices: true })(
      `with FLOW_ISOLATION=${isolation}`,
      (it) => {
        it.effect("are open in no process of a run and to no Python node", () =>
          Effect.gen(function* () {
            const { attack, gateway } = yield* Victim
            expect(hasThem(gateway.pid)).toBe(true)
            const outcomes = yield* Effect.promise(() =>
              attack([
                ["third", "names", 3],
                ["fortieth", "names", 40],
                ["hundredth", "names", 101]
              ])
            )
            allRefused(outcomes)
            const runs = () => runnersOf(gateway.pid).flatMap((pid) => [pid, ...below(pid)])
            yield* Effect.promise(() => eventually("a run waits", () => runs().length > 0))
            yield* Effect.promise(() => eventually("no run has them", () => !runs().some(hasThem)))
          })
        )
      }
    )
  }
})
