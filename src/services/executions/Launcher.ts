import { Context, Effect, Layer } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { tellDeadline } from "../../protocol/Liveness.ts"
import { TenantId } from "../shared/Tenant.ts"
import { ExecutionId } from "./Execution.ts"
import type { ExecutionKey } from "./ExecutionStore.ts"
import { keyOf, Supervisor } from "./Supervisor.ts"

/** The message of an execution. It is stored until the execution has ended, so another gateway can continue. */
const Run = Rpc.make("Run", { payload: {}, primaryKey: () => "" })
  .annotate(ClusterSchema.Persisted, true)
  .annotate(ClusterSchema.InterruptOnTermination, true)

/** An execution as a cluster entity. Its id is its key; the cluster assigns it to one gateway at a time. */
const Execution = Entity.make("Execution", [Run])

/** Runs the executions that the cluster assigns to this gateway. */
export const executionEntity = Execution.toLayer(
  Effect.gen(function* () {
    const supervisor = yield* Supervisor
    const { entityId } = yield* Entity.CurrentAddress
    const [tenant = "", id = ""] = entityId.split("/")
    return Execution.of({ Run: () => supervisor.supervise({ tenant: TenantId(tenant), id: ExecutionId(id) }) })
  }),
  { maxIdleTime: "10 seconds" }
)

/** Announces executions to the cluster. Repeated announcements have no effect. */
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
