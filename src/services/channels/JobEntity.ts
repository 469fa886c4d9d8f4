import { Context, Effect, Fiber, Layer, Schema } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { tellDeadline } from "../../protocol/Liveness.ts"
import { jobId, jobKey } from "./Job.ts"
import { JobKeeper } from "./JobKeeper.ts"
import type { DesiredJob } from "./JobStore.ts"

/**
 * Something was wished of a job, in this generation. The message stays until the job has come to its end, so that
 * whoever takes over from a gateway that died goes on with it.
 */
const Keep = Rpc.make("Keep", {
  payload: { generation: Schema.Int },
  primaryKey: ({ generation }) => String(generation)
})
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** A job of a channel. Its address is its id; the cluster sees to it that one gateway at a time has it. */
const Job = Entity.make("Job", [Keep])

/** Takes care of jobs that the cluster gives to this gateway. */
export const layer = Job.toLayer(
  Effect.gen(function* () {
    const keeper = yield* JobKeeper
    const { entityId } = yield* Entity.CurrentAddress
    const key = jobKey(entityId)
    let newest = 0
    let keeping: Fiber.Fiber<void> | undefined
    return Job.of({
      Keep: ({ payload: { generation } }) =>
        Effect.gen(function* () {
          // Messages may come in any order: only the newest counts, and it waits until the run before it is gone.
          if (generation < newest) return
          newest = generation
          while (keeping !== undefined) {
            const before = keeping
            yield* Fiber.interrupt(before)
            if (keeping === before) keeping = undefined
          }
          if (generation < newest) return
          keeping = yield* Effect.forkChild(keeper.keep({ ...key, generation }))
          yield* Fiber.join(keeping).pipe(
            // Interrupted by a newer generation, not by the end of this gateway.
            Effect.catchCause((cause) => (newest > generation ? Effect.void : Effect.failCause(cause)))
          )
        })
    })
  }),
  { concurrency: "unbounded", maxIdleTime: "1 minute" }
)

/** Whoever wants something of a job tells it so here, wherever in the cluster it is. */
export class Jobs extends Context.Service<
  Jobs,
  { readonly tell: (wished: DesiredJob) => Effect.Effect<void, StorageUnreachable> }
>()("flow/channels/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const clientOf = yield* Job.client
      return Jobs.of({
        tell: (wished) =>
          clientOf(jobId(wished))
            .Keep({ generation: wished.generation }, { discard: true })
            .pipe(
              Effect.timeout(tellDeadline),
              Effect.mapError(() => new StorageUnreachable({ storage: "metadata" }))
            )
      })
    })
  )
}
