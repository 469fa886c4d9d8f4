import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { act, isThere, members, ticking, until } from "./members.ts"
import { receiver } from "./receiver.ts"

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))

describe("a gateway that wakes after the others have given it up", () => {
  it.live(
    "stops when it is told: it does not wait for those that have closed their connections to it",
    () =>
      Effect.gen(function* () {
        const { addChannel, start } = yield* members
        const { url } = yield* receiver
        const jobs = ["a", "b", "c", "d"]
        addChannel("ticks", Object.fromEntries(jobs.map((job) => [job, ticking(url + job)])))
        yield* Effect.promise(async () => {
          const [victim, other] = await Promise.all([start(), start()])
          await act(other.url, "ticks", "start")
          await until(victim.url, "ticks", "ACTIVE")
          victim.process.kill("SIGSTOP")
          // Some of these are the frozen one's to run: nobody waits for its answers any more when it gives them.
          for (let asked = 0; asked < 20; asked++) {
            void tenantOf(other.url)
              .run(generator(20, 40))
              .catch(() => {})
            await pause(500)
          }
          victim.process.kill("SIGCONT")
          await pause(500)
          victim.process.kill("SIGTERM")
          await eventually("it has left", () => !isThere(victim), 20_000)
        })
      }),
    60_000
  )
})
