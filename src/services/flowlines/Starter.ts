import { Context, type Effect } from "effect"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { Conflict } from "../../errors/Conflict.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { QueueFull } from "../../errors/QueueFull.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Values } from "../../protocol/Parameters.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { Commit } from "../shared/idempotency/Commit.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FlowlineFile } from "./FlowlineFile.ts"

/** A started execution, with its flowline. */
export interface StartedExecution {
  readonly id: string
  readonly flowlineId: FlowlineId
}

/** Starts executions of flowlines. `services/executions` provides it, because that folder imports this one. */
export class Starter extends Context.Service<
  Starter,
  {
    readonly execute: (
      tenant: TenantId,
      flowlineId: FlowlineId,
      version?: number,
      commit?: Commit<StartedExecution>,
      given?: Values
    ) => Effect.Effect<StartedExecution, BadRequest | Conflict | NotFound | Overloaded | QueueFull | StorageUnreachable>
    /** Runs a flowline file once, without saving it. */
    readonly executeOnce: (
      tenant: TenantId,
      file: FlowlineFile,
      commit?: Commit<StartedExecution>,
      given?: Values
    ) => Effect.Effect<StartedExecution, BadRequest | Conflict | Overloaded | QueueFull | StorageUnreachable>
  }
>()("flow/flowlines/Starter") {}
