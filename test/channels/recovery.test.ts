import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { Jobs } from "../../src/services/channels/JobEntity.ts"
import * as JobRecovery from "../../src/services/channels/JobRecovery.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { rules } from "../support/open.ts"

it.effect("jobs that nobody takes care of are told again, and not as soon as the database is back", () => {
  const away = new StorageUnreachable({ storage: "metadata" })
  const job = { ...jobKey("t/c/local/j"), generation: 2 }
  let isAway = false
  let fails = 0
  let told = 0
  const answer = <A>(value: A) =>
    Effect.suspend(() => (fails-- > 0 ? Effect.die("odd") : isAway ? Effect.fail(away) : Effect.succeed(value)))
  const recovery = JobRecovery.layer.pipe(
    Layer.provide([
      rules,
      Layer.mock(JobStore)({ unattended: () => answer([job]), list: () => answer([]) }),
      Layer.succeed(Jobs, { tell: () => Effect.sync(() => void told++) })
    ])
  )
  const after = (rounds: number) =>
    Effect.gen(function* () {
      told = 0
      yield* TestClock.adjust(`${rounds * 10} seconds`)
      return told
    })
  return Effect.gen(function* () {
    yield* TestClock.adjust("5 seconds")
    expect(yield* after(3)).toBe(3)
    isAway = true
    expect(yield* after(3)).toBe(0)
    isAway = false
    expect(yield* after(1)).toBe(0)
    expect(yield* after(2)).toBe(2)
    fails = 1
    expect(yield* after(2)).toBe(1)
  }).pipe(Effect.provide(recovery), Effect.provide(Logger.layer([])))
})
