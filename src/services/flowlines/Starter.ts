import { Context, type Effect } from "effect"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { FlowlineFile } from "./Decoder.ts"

/** Starts executions of flowlines. The executions implement it, because they depend on the flowlines. */
export class Starter extends Context.Service<
  Starter,
  {
    readonly execute: (
      tenant: string,
      flowlineId: string,
      version?: number
    ) => Effect.Effect<{ readonly id: string }, NotFound | StorageUnreachable>
    /** Runs a flowline file once, without saving it. */
    readonly executeOnce: (
      tenant: string,
      file: FlowlineFile
    ) => Effect.Effect<{ readonly id: string }, BadRequest | StorageUnreachable>
  }
>()("flow/flowlines/Starter") {}
