import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"
import { program } from "../../src/drivers/Programs.ts"
import type { EngineSettings } from "../../src/layers/engine/EngineConfig.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import type { DagNode, Flowline, RunSettings } from "../../src/protocol/Flowline.ts"
import type { NodeCounters, RunMessage } from "../../src/protocol/RunProtocol.ts"
import { analytics as analyticsRuntime } from "../../src/run/analytics/Analytics.ts"
import { blob, ended, engine, follow, places, printed, settings, spec } from "../engine/support.ts"
import { unzip } from "../engine/unzip.ts"
import { Memory } from "../nodes/memory.ts"

type Wire = string | readonly [component: string, stream: string]

/** A node named by its component. It publishes `out`, and subscribes to `out` of `from`, or to the given stream. */
export const node = (
  component: string,
  type: string,
  given: DagNode["settings"],
  from: ReadonlyArray<Wire> = [],
  publish: ReadonlyArray<string> = ["out"]
): DagNode => ({
  type,
  component,
  settings: given,
  subscribe: from.map((wire) =>
    typeof wire === "string" ? { component: wire, stream: "out" } : { component: wire[0], stream: wire[1] }
  ),
  publish: publish.map((stream) => ({ stream }))
})

export const analytics = (
  dag: readonly [DagNode, ...Array<DagNode>],
  limits: typeof RunSettings.Type = {}
): Flowline => ({ runtime: "analytics", settings: limits, dag })

/** What a run left. */
export interface Outcome {
  readonly outcome: "succeeded" | "failed"
  readonly error: string | undefined
  readonly component: string | undefined
  readonly lines: ReadonlyArray<string>
  readonly counters: Readonly<Record<string, Pick<NodeCounters, "recordsIn" | "recordsOut" | "errors">>>
  /** Files of the data area and entries of the archive by name. */
  readonly file: (path: string) => Promise<Buffer>
  readonly entries: ReadonlyMap<string, Buffer>
  readonly messages: ReadonlyArray<RunMessage>
}

/** Files of the tenant, by path. */
export type Tree = Readonly<Record<string, string | Uint8Array>>

const plant = async (conf: string, tree: Tree) => {
  for (const [path, content] of Object.entries(tree)) {
    await mkdir(dirname(join(conf, path)), { recursive: true })
    await writeFile(join(conf, path), content)
  }
}

/** Runs a flowline in the real engine, in a separate process, with these configuration files. */
export const run = (flowline: Flowline, tree: Tree = {}, given: Partial<EngineSettings> = {}) =>
  Effect.gen(function* () {
    const { root, conf, data, blobs } = yield* places
    yield* Effect.promise(() => plant(conf, tree))
    // As a gateway has done before any run.
    yield* Layer.build(Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(blobs))))
    const entry = program("run")
    const messages = yield* follow(spec(flowline)).pipe(Effect.provide(engine(settings(root, { entry, ...given }))))
    const end = ended(messages)
    const counted = messages.findLast((message) => message._tag === "Counters")?.nodes ?? []
    const archived = messages.find((message) => message._tag === "Archived")
    const outcome: Outcome = {
      outcome: end.outcome,
      error: end.error,
      component: end.component,
      lines: printed(messages),
      counters: Object.fromEntries(
        counted.map(({ component, recordsIn, recordsOut, errors }) => [component, { recordsIn, recordsOut, errors }])
      ),
      file: (path) => readFile(join(data, path)),
      entries: archived === undefined ? new Map() : unzip(yield* blob(blobs, archived.sha256)),
      messages
    }
    return outcome
  })

/** What a statement over `rows` prints as JSON. */
export const select = (statement: string, rows: ReadonlyArray<unknown> = [{ a: 1 }]) =>
  analytics([
    node("rows", "dataset_generator", { rows }),
    node("query", "sql", { statement }, ["rows"]),
    node("shown", "show", { format: "json" }, ["query"])
  ])

/** Runs a flowline in this process, which is faster. Returns the failure's text, or the output. */
export const within = (flowline: Flowline, tree: Tree = {}, memoryMib = 512) =>
  Effect.gen(function* () {
    const { root, conf } = yield* places
    return yield* Effect.promise(async () => {
      await plant(conf, tree)
      const files = new TenantFiles(conf)
      const memory = new Memory()
      const context = (component: string): RunContext => ({
        ...memory.context(component),
        glob: (pattern) => files.glob(pattern),
        read: (path) => files.read(path),
        openFile: (path) => files.openFile(path),
        trigger: { schedule: "nightly", kind: "cron", scheduledAt: "2026-01-01T01:30:00.000Z" },
        open: async ({ ...reference }) => {
          const name = "registry" in reference ? reference.registry : reference.resource
          return { name, read: () => files.read(name) }
        }
      })
      const order = { conf, scratch: join(root, "scratch"), fileBytes: 64 * 1024 * 1024, memoryMib }
      const job = analyticsRuntime(flowline, context, order)
      const error = await job.run().then(
        () => undefined,
        (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
      )
      const counters = new Map(job.counters().map((counter) => [counter.component, counter]))
      const { printed: lines, written, entries } = memory
      return { error, lines, written, entries, counters }
    })
  })

/** The output of a succeeded or failed run of one file and one node. */
export const reading = (path: string, content: string | Uint8Array, settings: DagNode["settings"] = {}) =>
  Effect.map(
    within(
      analytics([
        node("in", "file_input", { path, ...settings }, [], ["out", "errors"]),
        node("shown", "show", { format: "json" }, ["in"]),
        node("failed", "show", { format: "json" }, [["in", "errors"]])
      ]),
      { [path]: content }
    ),
    ({ error, lines }) => error ?? lines
  )
