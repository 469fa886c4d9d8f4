import { Context, Effect, Layer } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { tellDeadline } from "../../protocol/Liveness.ts"
import type { ExecutionKey } from "./ExecutionStore.ts"
import { keyOf, Supervisor } from "./Supervisor.ts"

/** The message of an execution. It stays until the execution has ended, for whoever takes over from a gateway. */
const Run = Rpc.make("Run", { payload: {}, primaryKey: () => "" })
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** An execution. Its address is its key; the cluster sees to it that one gateway at a time has it. */
const Execution = Entity.make("Execution", [Run])

/** Runs the executions that the cluster gives to this gateway. */
export const layer = Execution.toLayer(
  Effect.gen(function* () {
    const supervisor = yield* Supervisor
    const { entityId } = yield* Entity.CurrentAddress
    const [tenant = "", id = ""] = entityId.split("/")
    return Execution.of({ Run: () => supervisor.supervise({ tenant, id }) })
  }),
  { maxIdleTime: "10 seconds" }
)

/** Gives executions to the cluster. Telling it again changes nothing. */
export class Launcher extends Context.Service<
  Launcher,
  { readonly launch: (key: ExecutionKey) => Effect.Effect<void, StorageUnreachable> }
>()("flow/executions/Launcher") {
  static readonly layer = Layer.effect(
    Launcher,
    Effect.gen(function* () {
      const clientOf = yield* Execution.client
      return Launcher.of({
        launch: (key) =>
          clientOf(keyOf(key))
            .Run({}, { discard: true })
            .pipe(
              Effect.timeout(tellDeadline),
              Effect.mapError(() => new StorageUnreachable({ storage: "metadata" }))
            )
      })
    })
  )
}
