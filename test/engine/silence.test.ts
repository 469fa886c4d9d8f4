import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Heartbeats from "../../src/layers/postgres/gateways/Heartbeats.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { act, ended, engine, places, settings } from "./support.ts"

/** The end of a run that is killed from outside after this process was silent for so many milliseconds. */
const killedAfter = (silence: number, waits: boolean) =>
  Effect.gen(function* () {
    const { root } = yield* places
    const { signs } = yield* Heartbeats.Heartbeats
    const messages: Array<RunMessage> = []
    let now = 0
    vi.spyOn(performance, "now").mockImplementation(() => now)
    yield* Effect.gen(function* () {
      const { run } = yield* Engine
      yield* Stream.runForEach(run(act("test_family")), (message) =>
        Effect.sync(() => {
          messages.push(message)
          if (message._tag !== "Started") return
          now += silence
          process.kill(message.pid, "SIGKILL")
        })
      )
    }).pipe(
      Effect.provide(engine(settings(root, waits ? { lifeSigns: signs } : {}))),
      Effect.ensuring(Effect.sync(() => vi.restoreAllMocks()))
    )
    return ended(messages)
  }).pipe(Effect.provide(Heartbeats.layer(undefined)))

describe("a run that is killed", () => {
  it.live("was abandoned when its gateway had been silent", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* killedAfter(4000, true)).abandoned)
    })
  )

  it.live("has failed when its gateway was there all the time, or where runs wait for none", () =>
    Effect.gen(function* () {
      for (const end of [yield* killedAfter(0, true), yield* killedAfter(4000, false)]) {
        assert.isUndefined(end.abandoned)
        assert.include(end.error, "SIGKILL")
      }
    })
  )
})
