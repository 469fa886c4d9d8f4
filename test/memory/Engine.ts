import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Layer, Queue, Result, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import { failureOf, withEffects } from "../../src/nodes/flowline/Outcome.ts"
import { flowlineWithSecrets } from "../../src/nodes/flowline/SecretSettings.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import type { Sink } from "../../src/nodes/ports/NodeFiles.ts"
import type { RunMessage, RunSpec } from "../../src/protocol/RunProtocol.ts"
import { zip } from "../../src/run/archive/Zip.ts"
import { StoredFiles } from "../../src/run/files/StoredFiles.ts"
import { inputs } from "../../src/run/InputContext.ts"
import { runIdOf, sha256 } from "../../src/run/SearchClient.ts"
import { documentsOf } from "../../src/run/SearchDocuments.ts"
import { extraction } from "../../src/run/stream/EncodedRows.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Settings } from "../../src/services/shared/settings/Settings.ts"

/** The limit of a run, in bytes. */
const fileBytes = 1024 ** 3

const discard: Sink = { write: () => {}, close: async () => {} }

/** Runs flowlines in this process, for tests. Their input is real; their data files are discarded. */
export const layer = Layer.effect(
  Engine,
  Effect.gen(function* () {
    const { conf, data } = yield* Settings
    const blobs = yield* Blobs
    const search = yield* Search

    const work = Effect.fnUntraced(function* (spec: RunSpec, say: (message: RunMessage) => void) {
      const stop = new AbortController()
      yield* Effect.addFinalizer(() => Effect.sync(() => stop.abort()))
      const places = {
        conf: join(conf, "tenants", spec.tenant),
        data: join(data, "blobs", spec.tenant, "data"),
        roots: spec.roots ?? {},
        scratch: data,
        outbound: [],
        ownPorts: [],
        fileBytes,
        spec
      }
      const stored = new StoredFiles(spec, Layer.succeed(Blobs, blobs))
      const archive = spec.flowline.dag.some(({ type }) => type === "archive_output" || type === "extraction_output")
        ? zip({ level: 6, scratch: async () => data })
        : undefined
      const storing =
        archive === undefined
          ? undefined
          : yield* Effect.forkScoped(blobs.write(spec.tenant, archive.bytes, (cause) => cause))
      const context = (component: string): RunContext => ({
        ...inputs(places, stored, stop.signal),
        patterns: spec.patterns,
        guard,
        position: { load: () => spec.positions?.[component] },
        savePositions: (positions) => say({ _tag: "Positions", positions, files: {} }),
        documents: documentsOf(search, spec.tenant, stop.signal),
        sha256,
        runId: runIdOf(spec),
        file: async () => discard,
        archiveEntry: (name) => archive!.entry(name),
        print: (texts) => say({ _tag: "Output", lines: texts.map((text) => ({ component, text, at: Date.now() })) }),
        reject: () => {},
        signal: stop.signal
      })
      const scratch = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "flow-run-"))),
        (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
      )
      const order = {
        scratch,
        fileBytes,
        memoryMib: spec.flowline.settings.memory_mib ?? 512
      }
      if (spec.trial !== undefined) {
        const { trial } = yield* Effect.promise(() => import("../../src/run/trial/Trial.ts"))
        const whole = {
          ...order,
          spec,
          conf: join(conf, "tenants", spec.tenant),
          roots: {},
          data,
          unfinished: scratch,
          blobs: { kind: "disk" as const, root: data },
          outbound: [],
          ownPorts: [],
          archiveLevel: 1,
          outputLines: 1000,
          outputBytes: 1024 * 1024
        }
        const send = async (message: RunMessage) => say(message)
        yield* Effect.promise(async () => (await trial(spec.flowline, context, whole, send)).run())
        return
      }
      const job =
        spec.flowline.runtime === "analytics"
          ? (yield* Effect.promise(() => import("../../src/run/analytics/Analytics.ts"))).analytics(
              spec.flowline,
              context,
              order
            )
          : spec.flowline.runtime === "pybatch"
            ? yield* Effect.promise(async () =>
                (await import("../../src/run/pybatch/Pybatch.ts")).pybatch(spec.flowline, context, { scratch, spec })
              )
            : extraction(flowlineWithSecrets(spec.flowline, {}), context)
      yield* Effect.tryPromise({ try: () => job.run(), catch: (cause) => cause })
      const nodes = withEffects(spec.flowline, job.counters())
      say({ _tag: "Counters", nodes })
      const failure = failureOf(spec.flowline, nodes)
      if (failure !== undefined) return yield* Effect.fail(new Error(failure))
      if (archive === undefined || storing === undefined) return
      const entries = yield* Effect.promise(() => archive.seal())
      say({ _tag: "Archived", ...(yield* Fiber.join(storing)), entries })
    })

    return Engine.of({
      gone: () => Effect.void,
      settle: () => Effect.succeed(Result.succeed(null)),
      run: (spec) =>
        Stream.callback<RunMessage>((queue) => {
          const say = (message: RunMessage) => void Queue.offerUnsafe(queue, message)
          say({ _tag: "Started", jobId: `memory:${process.pid}`, pid: process.pid, at: Date.now() })
          return Effect.scoped(work(spec, say)).pipe(
            Effect.match({
              onSuccess: () => say({ _tag: "Ended", outcome: "succeeded", at: Date.now() }),
              onFailure: (error) =>
                say({
                  _tag: "Ended",
                  outcome: "failed",
                  error: error instanceof Error ? error.message : String(error),
                  at: Date.now()
                })
            }),
            Effect.andThen(Queue.end(queue))
          )
        })
    })
  })
)
