import { mkdir } from "node:fs/promises"
import { Cause, Effect, Layer, Result, Stream } from "effect"
import { explain } from "../../drivers/Failure.ts"
import { settle } from "../../drivers/files/AppendedFile.ts"
import { dataArea, rootArea } from "../../drivers/files/Area.ts"
import { fileOf, type Roots } from "../../protocol/Roots.ts"
import type { RunMessage } from "../../protocol/RunProtocol.ts"
import { Engine } from "../../services/runs/Engine.ts"
import { observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { TenantId } from "../../services/shared/Tenant.ts"
import { sharedConnections } from "./Connections.ts"
import { EngineConfig } from "./EngineConfig.ts"
import { orderOf } from "./OrderOf.ts"
import { outlived } from "./ProcessGroup.ts"
import { dataFolder, RunFolders, sweepLeftovers, sweepRoot } from "./RunFolders.ts"
import { Runners } from "./Runners.ts"
import { RunProcess, type Warn } from "./RunProcess.ts"

const refused = (error: string): Stream.Stream<RunMessage> =>
  Stream.make({ _tag: "Ended", outcome: "failed", error, at: Date.now() })

const isNonEmpty = <A>(list: ReadonlyArray<A>): list is readonly [A, ...Array<A>] => list.length > 0

const pull = (run: RunProcess) =>
  Effect.flatMap(
    Effect.promise(() => run.next()),
    (messages) => (messages !== undefined && isNonEmpty(messages) ? Effect.succeed(messages) : Cause.done())
  )

/** The engine that runs each flowline in a child process on this machine. */
export const layer: Layer.Layer<Engine, never, EngineConfig> = Layer.effect(
  Engine,
  Effect.gen(function* () {
    const settings = yield* EngineConfig
    yield* Effect.promise(() => mkdir(settings.tempRoot, { recursive: true, mode: 0o700 }))
    const places = new RunFolders(settings)
    yield* Effect.promise(() => places.prepare())
    yield* Effect.promise(() => sweepLeftovers(settings.dataRoot, settings.tempRoot)).pipe(Effect.forkScoped)
    /** Roots from which the leftovers of dead gateways have been removed. */
    const swept = new Set<string>()
    const sweepRoots = (roots: Roots) => {
      for (const root of Object.values(roots)) {
        if (!root.writable || swept.has(root.path)) continue
        swept.add(root.path)
        void sweepRoot(root)
      }
    }
    const runners = yield* Effect.acquireRelease(
      Effect.sync(() => new Runners(settings)),
      (runners) => Effect.promise(() => runners.close())
    )
    yield* observeGauge(
      "flow_run_processes",
      { description: "Processes of runs, with the one that is kept ready" },
      () => runners.alive
    )
    const connectionsFor = yield* sharedConnections(settings.searchConnections)
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const warn: Warn = (message, details) => fork(Effect.annotateLogs(Effect.logWarning(message), details))
    return Engine.of({
      run: (spec) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { refusal } = yield* Effect.promise(() => runners.isolation())
            if (refusal !== undefined) return refused(refusal)
            const connections = yield* connectionsFor(TenantId(spec.tenant), spec.flowline)
            const order = yield* Effect.promise(() => orderOf(settings, spec, connections))
            const made = yield* Effect.result(Effect.tryPromise(() => places.make(order)))
            if (Result.isFailure(made)) {
              const { tenant, executionId } = spec
              warn("The folders of a run cannot be made", { tenant, executionId, reason: String(made.failure.cause) })
              return refused(
                "The folders of the run could not be made: the data storage is full, read-only or does not answer"
              )
            }
            const run = yield* Effect.acquireRelease(
              Effect.sync(() => {
                sweepRoots(order.roots)
                return new RunProcess(runners, settings, order, warn)
              }),
              (run) => Effect.promise(() => run.cancel())
            )
            return Stream.fromPull(Effect.succeed(pull(run)))
          })
        ),
      settle: (tenant, key, place, roots = {}) =>
        Effect.promise(async () => {
          const { root: name, path } = fileOf(key)
          const root = Object.hasOwn(roots, name) ? roots[name] : undefined
          const area = root === undefined ? dataArea(dataFolder(settings.dataRoot, tenant)) : rootArea(name, root)
          try {
            return Result.succeed(await settle(area, path, place))
          } catch (error) {
            return Result.fail(explain(error, [area.folder]).error)
          }
        }),
      gone: (jobId) => Effect.promise((signal) => outlived(jobId, signal))
    })
  })
)
