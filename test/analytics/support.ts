import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import * as Disk from "../../src/layers/blobs/Disk.ts"
import type { EngineSettings } from "../../src/layers/engines/EngineConfig.ts"
import type { NodeCounters, RunMessage } from "../../src/services/engines/Engine.ts"
import type { DagNode, Flowline, RunSettings } from "../../src/services/flowlines/Flowline.ts"
import { blob, ended, engine, follow, places, printed, settings, spec } from "../engine/support.ts"
import { unzip } from "../engine/unzip.ts"

type Wire = string | readonly [component: string, stream: string]

/** A node by its component's name. It publishes `out`, and takes `out` of `from`, or the stream that stands there. */
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

/** Runs a flowline through the real engine, in a process of its own, with these configuration files. */
export const run = (flowline: Flowline, tree: Tree = {}, given: Partial<EngineSettings> = {}) =>
  Effect.gen(function* () {
    const { root, conf, data, blobs } = yield* places
    yield* Effect.promise(async () => {
      for (const [path, content] of Object.entries(tree)) {
        await mkdir(dirname(join(conf, path)), { recursive: true })
        await writeFile(join(conf, path), content)
      }
    })
    // As a gateway has done before any run.
    yield* Layer.build(Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(blobs))))
    const entry = new URL("../../src/run.ts", import.meta.url)
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
