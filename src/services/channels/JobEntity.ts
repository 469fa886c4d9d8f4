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
 * Carries out the desired state of a job in this generation. The message is stored until it is done, so a gateway that
 * takes over from a dead one continues it.
 */
const Keep = Rpc.make("Keep", {
  payload: { generation: Schema.Int },
  primaryKey: ({ generation }) => String(generation)
})
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** A job of a channel as a cluster entity. Its id is the job's id; the cluster assigns it to one gateway at a time. */
const Job = Entity.make("Job", [Keep])

/** Handles the jobs that the cluster assigns to this gateway. */
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
          // Messages may arrive in any order: only the newest generation counts, and it waits until the previous run
          // has ended.
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
            // Done if a newer generation interrupted it; the end of this gateway must leave the message stored.
            Effect.catchCause((cause) => (newest > generation ? Effect.void : Effect.failCause(cause)))
          )
        })
    })
  }),
  { concurrency: "unbounded", maxIdleTime: "1 minute" }
)

/** Announces a new generation of a job to the gateway that is responsible for it. */
export class Jobs extends Context.Service<
  Jobs,
  { readonly tell: (desiredJob: DesiredJob) => Effect.Effect<void, StorageUnreachable> }
>()("flow/channels/Jobs") {
  static readonly layer = Layer.effect(
    Jobs,
    Effect.gen(function* () {
      const clientOf = yield* Job.client
      return Jobs.of({
        tell: (desiredJob) =>
          clientOf(jobId(desiredJob))
            .Keep({ generation: desiredJob.generation }, { discard: true })
            .pipe(
              Effect.timeout(tellDeadline),
              Effect.mapError(() => new StorageUnreachable({ storage: "metadata" }))
            )
      })
    })
  )
}
