import { mkdir } from "node:fs/promises"
import { Cause, Effect, Layer, Stream } from "effect"
import type { RunMessage } from "../../protocol/Message.ts"
import { Engine } from "../../services/runs/Engine.ts"
import { EngineConfig } from "./EngineConfig.ts"
import { sweepLeftovers } from "./Leftovers.ts"
import { outlived } from "./ProcessGroup.ts"
import { Run, type Warn } from "./Run.ts"
import { Runners } from "./Runners.ts"

const isNonEmpty = <A>(list: ReadonlyArray<A>): list is readonly [A, ...Array<A>] => list.length > 0

const pull = (run: Run) =>
  Effect.flatMap(
    Effect.promise(() => run.next()),
    (messages) => (messages !== undefined && isNonEmpty(messages) ? Effect.succeed(messages) : Cause.done())
  )

/** The engine that runs each flowline in a child process on this machine. */
export const layer: Layer.Layer<Engine, never, EngineConfig> = Layer.effect(
  Engine,
  Effect.gen(function* () {
    const settings = yield* EngineConfig
    yield* Effect.promise(() => mkdir(settings.tempRoot, { recursive: true }))
    yield* Effect.promise(() => sweepLeftovers(settings.dataRoot, settings.tempRoot)).pipe(Effect.forkScoped)
    const runners = yield* Effect.acquireRelease(
      Effect.sync(() => new Runners(settings)),
      (runners) => Effect.promise(() => runners.close())
    )
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const warn: Warn = (message, details) => fork(Effect.annotateLogs(Effect.logWarning(message), details))
    return Engine.of({
      run: (spec) =>
        Stream.unwrap(
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => new Run(runners, settings, spec, warn)),
              (run) => Effect.promise(() => run.cancel())
            ),
            (run): Stream.Stream<RunMessage> => Stream.fromPull(Effect.succeed(pull(run)))
          )
        ),
      gone: (jobId) => Effect.promise((signal) => outlived(jobId, signal))
    })
  })
)
