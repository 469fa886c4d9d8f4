import { Effect, Layer, Result, Stream } from "effect"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { Supervisor } from "../../src/services/executions/Supervisor.ts"
import { Attempts } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { Provision } from "../../src/services/runs/Provision.ts"
import * as ArchiveStoreMemory from "../memory/ArchiveStore.ts"
import * as ExecutionStoreMemory from "../memory/ExecutionStore.ts"
import * as PositionStoreMemory from "../memory/PositionStore.ts"
import { testSettings } from "../support/gateway.ts"
import { openLimits } from "../support/open.ts"

/** A flowline whose failed runs are tried once more. */
export const dag = JSON.stringify({
  runtime: "analytics",
  settings: { retry: { attempts: 2, initial: "1s" } },
  dag: [{ type: "x", component: "x" }]
})

/** A supervisor whose first `abandoned` runs end themselves. */
export const supervising = (abandoned: number) => {
  let runs = 0
  const started: RunMessage = { _tag: "Started", jobId: "h:1", pid: 1, at: 0 }
  const end = (run: number): RunMessage =>
    run <= abandoned
      ? { _tag: "Ended", outcome: "failed", error: "silent", abandoned: true, at: 0 }
      : { _tag: "Ended", outcome: "succeeded", at: 0 }
  const layer = Supervisor.layer.pipe(
    Layer.provide([Attempts.layer, openLimits]),
    Layer.provideMerge(Layer.mergeAll(ExecutionStoreMemory.layer, PositionStoreMemory.layer)),
    Layer.provide(ArchiveStoreMemory.layer),
    Layer.provide([
      Layer.mock(Engine)({ run: () => Stream.suspend(() => Stream.make(started, end(++runs))) }),
      Layer.succeed(Gateway, { id: "g", name: "h:1", address: "h:1" }),
      Layer.succeed(Provision, { of: () => Effect.succeed(Result.succeed({})) }),
      testSettings({ data: "none", databaseUrl: "postgres://unused", runs: { all: 1, each: 1 } })
    ])
  )
  return { layer, runs: () => runs }
}
