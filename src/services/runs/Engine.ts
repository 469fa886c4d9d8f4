import { Context, type Effect, type Result, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Roots } from "../../protocol/Roots.ts"
import type { RunMessage, RunSpec } from "../../protocol/RunProtocol.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The port to the engine, which runs each flowline in a separate process. */
export class Engine extends Context.Service<
  Engine,
  {
    /**
     * Starts a run and returns its messages. The end of the stream kills the process group with SIGTERM, then SIGKILL, and
     * waits for its last process. After `Publishing` the run waits for the next pull, which confirms its claim.
     */
    readonly run: (spec: RunSpec) => Stream.Stream<RunMessage, StorageUnreachable>
    /**
     * Waits until the run of a killed gateway of this host has ended, or can no longer outlive it. `jobId` is
     * `<host>:<pid>`.
     */
    readonly gone: (jobId: string) => Effect.Effect<void>
    /**
     * Prepares a file for appending: cuts everything after the place, and an incomplete last line. `key` is the file's
     * `fileKey` of protocol/Roots. Returns the place of its end, or why nothing can be appended.
     */
    readonly settle: (
      tenant: TenantId,
      key: string,
      place: unknown,
      roots?: Roots
    ) => Effect.Effect<Result.Result<unknown, string>>
  }
>()("flow/runs/Engine") {}
