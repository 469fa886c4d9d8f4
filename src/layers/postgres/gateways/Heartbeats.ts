import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, type Scope } from "effect"
import { program } from "../../../drivers/Programs.ts"
import { heartbeat, lease } from "../../../protocol/Liveness.ts"
import { type HeartbeatTask, nanosOf, signOf, stamp } from "./HeartbeatTask.ts"

/** The signs of life of this gateway. A thread of its own gives them, so that no request can delay them. */
export class Heartbeats extends Context.Service<
  Heartbeats,
  {
    /** An open file that holds the time of the last sign of life for the runs, see {@link signOf}. */
    readonly signs: number
    /** Starts the thread, which keeps the row in the table `gateways` fresh. */
    readonly begin: (row: HeartbeatTask["row"]) => Effect.Effect<void, never, Scope.Scope>
    /** Whether the thread keeps the row fresh. */
    readonly isBeating: () => boolean
  }
>()("flow-gateway/layers/Heartbeats") {}

/** A file without a name, in memory where the system has such a folder: a busy disk must not delay signs of life. */
const openSigns = (): number => {
  for (const folder of ["/dev/shm", tmpdir()]) {
    const path = join(folder, `flow-gateway-${crypto.randomUUID()}`)
    try {
      const file = openSync(path, "wx+", 0o600)
      rmSync(path)
      return file
    } catch {}
  }
  throw new Error(`No file can be made in ${tmpdir()} (TMPDIR), where runs look for signs of life of their gateway`)
}

/**
 * `databaseUrl` is that of a database that several gateways may share. Without it the thread is not started, because no
 * other gateway waits for heartbeats.
 */
export const layer = (databaseUrl: string | undefined) =>
  Layer.effect(
    Heartbeats,
    Effect.gen(function* () {
      const signs = yield* Effect.acquireRelease(Effect.sync(openSigns), (file) => Effect.sync(() => closeSync(file)))
      const shared = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)
      const stamps = new BigInt64Array(shared)
      const fork = Effect.runForkWith(yield* Effect.context<never>())

      const isRecent = (): boolean => process.hrtime.bigint() - Atomics.load(stamps, stamp.confirmed) < nanosOf(lease)
      // The thread takes a while to start, and may fail.
      const turn = () => {
        Atomics.store(stamps, stamp.main, process.hrtime.bigint())
        writeSync(signs, signOf(process.hrtime.bigint()), 0, 8, 0)
      }
      turn()
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(turn, heartbeat / 2)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )

      const begin = (row: HeartbeatTask["row"]) =>
        Effect.gen(function* () {
          if (databaseUrl === undefined) return
          const task: HeartbeatTask = { url: databaseUrl, row, signs, shared }
          const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 }
          yield* Effect.acquireRelease(
            Effect.sync(() => {
              const thread = new Worker(program("heartbeat"), { workerData: task, resourceLimits })
              thread.on("error", (error) => fork(Effect.logError("The thread of the heartbeats has ended", error)))
              return thread
            }),
            (thread) => Effect.promise(() => thread.terminate())
          )
        })

      return Heartbeats.of({ signs, begin, isBeating: isRecent })
    })
  )
