import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { countersOf } from "../../src/layers/engine/MemoryKills.ts"
import { act, ended, engine, follow, places, settings } from "./support.ts"

const explained = ": Linux killed it, because the memory of the machine or of the gateway's container ran out"
const unexpected = "The process of the run ended unexpectedly (SIGKILL)"
const python = "The Python process ended early, with signal SIGKILL"

/** How a run ends, where `kills` more processes are killed for lack of memory each time that somebody looks. */
const errorOf = (given: Record<string, string>, kills: number) =>
  Effect.gen(function* () {
    const { root } = yield* places
    let count = 0
    const memoryKills = () => (count += kills)
    const messages = yield* follow(act("test_kill", given)).pipe(
      Effect.provide(engine(settings(root, { memoryKills })))
    )
    return ended(messages).error
  })

describe("a run of which Linux kills a process for lack of memory", () => {
  it.live("says so", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* errorOf({}, 1), `${unexpected}${explained}`)
      assert.strictEqual(yield* errorOf({ says: python }, 1), `${python}${explained}`)
    })
  )

  it.live("is told from one that somebody kills, and from one that fails otherwise", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* errorOf({}, 0), unexpected)
      assert.strictEqual(yield* errorOf({ says: "no" }, 1), "no")
    })
  )

  it("is counted by the control group before the machine", () => {
    assert.deepStrictEqual(countersOf("0::/system.slice/flow.service\n"), [
      "/sys/fs/cgroup/system.slice/flow.service/memory.events",
      "/sys/fs/cgroup/memory.events",
      "/proc/vmstat"
    ])
    assert.deepStrictEqual(countersOf("5:cpu,memory:/docker/ab\n3:cpuset:/\n"), [
      "/sys/fs/cgroup/memory/docker/ab/memory.oom_control",
      "/sys/fs/cgroup/memory/memory.oom_control",
      "/proc/vmstat"
    ])
    assert.deepStrictEqual(countersOf(""), ["/proc/vmstat"])
  })
})
