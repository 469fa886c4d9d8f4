import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { RunMessage } from "../../protocol/Message.ts"
import type { RunSpec } from "../../protocol/Order.ts"

/** Runs flowlines, each in a process of its own. */
export class Engine extends Context.Service<
  Engine,
  {
    /**
     * Starts the run and follows it. Ending or interrupting the stream kills the whole process group: TERM, then KILL,
     * and completes only when no process of the group is left. `at` values are epoch milliseconds.
     */
    readonly run: (spec: RunSpec) => Stream.Stream<RunMessage, StorageUnreachable>
    /**
     * Waits until a run that a gateway left behind when it was killed is gone: at most as long as it can outlive that
     * gateway, and not at all when it ran on another host. `jobId` is what it said when it started.
     */
    readonly gone: (jobId: string) => Effect.Effect<void>
  }
>()("flow/runs/Engine") {}
