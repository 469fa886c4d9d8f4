import { Effect, Fiber, Stream } from "effect"
import type { EngineSettings } from "../../src/layers/engine/EngineConfig.ts"
import type { RunMessage, RunSpec } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { eventually } from "../support/process.ts"
import { engine, printed } from "./support.ts"

/** A run in progress while the test changes its inputs. */
export const running = (given: EngineSettings, run: RunSpec) =>
  Effect.gen(function* () {
    const messages: Array<RunMessage> = []
    const it = yield* Engine
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(it.run(run), (message) => Effect.sync(() => void messages.push(message)))
    )
    const pid = () => messages.flatMap((message) => (message._tag === "Started" ? [message.pid] : []))[0]
    yield* Effect.promise(() => eventually("the run has a process", () => pid() !== undefined))
    const records = () => printed(messages).map((line): Record<string, unknown> => JSON.parse(line))
    return {
      messages,
      pid: () => pid() ?? 0,
      /** What its `show` nodes printed. */
      records,
      lines: () => records().map(({ message }) => message),
      /** What the next attempt would be given. */
      positions: () => {
        const last = messages.findLast((message) => message._tag === "Positions")
        return last?.positions ?? {}
      },
      stop: Fiber.interrupt(fiber),
      over: Fiber.join(fiber)
    }
  }).pipe(Effect.provide(engine(given)))
