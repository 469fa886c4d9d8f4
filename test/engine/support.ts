import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Layer, Stream } from "effect"
import { EngineConfig, type EngineSettings } from "../../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../../src/layers/engine/LocalEngine.ts"
import type { DagNode, Flowline, RunSettings } from "../../src/protocol/Flowline.ts"
import type { RunMessage, RunSpec } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"

export const tenant = "acme"

/** A node with the defaults of a decoded flowline. `from` names the component to whose `stream` it subscribes. */
export const node = (type: string, settings: DagNode["settings"] = {}, from?: string): DagNode => ({
  type,
  settings,
  subscribe: from === undefined ? [] : [{ component: from, stream: "out" }],
  publish: [{ stream: "out" }]
})

export const flowline = (
  dag: readonly [DagNode, ...Array<DagNode>],
  settings: typeof RunSettings.Type = {}
): Flowline => ({ runtime: "stream", settings, dag })

let runs = 0
export const spec = (run: Flowline): RunSpec => ({ tenant, executionId: `run-${++runs}`, epoch: 1, flowline: run })

/** One flowline of a test node. */
export const act = (type: string, settings: DagNode["settings"] = {}, limits: typeof RunSettings.Type = {}) =>
  spec(flowline([node(type, settings)], limits))

/** Folders of a test, removed with its scope. */
export const places = Effect.acquireRelease(
  Effect.promise(async () => {
    const root = await mkdtemp(join(tmpdir(), "flow-engine-"))
    const conf = join(root, "conf", "tenants", tenant)
    await mkdir(join(conf, "samples"), { recursive: true })
    return { root, conf, data: join(root, "data", tenant, "data"), blobs: join(root, "blobs") }
  }),
  ({ root }) => Effect.promise(() => rm(root, { recursive: true, force: true }))
)

/** The settings of an engine with the test nodes, in the folders of {@link places}. */
export const settings = (root: string, given: Partial<EngineSettings> = {}): EngineSettings =>
  EngineConfig.settings({
    confRoot: join(root, "conf"),
    dataRoot: join(root, "data"),
    tempRoot: join(root, "temp"),
    blobs: { kind: "disk", root: join(root, "blobs") },
    // Bundled by the set-up of the tests: it starts in a third of the time.
    entry: pathToFileURL(process.env["TEST_ENGINE_ENTRY"] ?? join(import.meta.dirname, "entry.ts")),
    graceMillis: 1000,
    warm: false,
    ...given
  })

export const engine = (given: EngineSettings): Layer.Layer<Engine> =>
  LocalEngine.layer.pipe(Layer.provide(Layer.succeed(EngineConfig, given)))

/** All messages of a run. */
export const follow = (run: RunSpec) => Effect.flatMap(Engine, (it) => Stream.runCollect(it.run(run)))

export const ended = (messages: ReadonlyArray<RunMessage>) => {
  const all = messages.filter((message) => message._tag === "Ended")
  if (all.length !== 1 || messages.at(-1) !== all[0]) throw new Error(`${all.length} ends`)
  return all[0]!
}

export const printed = (messages: ReadonlyArray<RunMessage>): ReadonlyArray<string> =>
  messages.flatMap((message) => (message._tag === "Output" ? message.lines.map((line) => line.text) : []))

/** State, parent, group, …, user and system time of a process: the fields after the name in `/proc/<pid>/stat`. */
const stat = (pid: number): ReadonlyArray<string> => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return ["X"]
  }
}

/** Whether the process does anything any more; a zombie does not. */
export const isAlive = (pid: number): boolean => stat(pid)[0] !== "Z" && stat(pid)[0] !== "X"

/** Processor time in ticks of 10 ms; 0 if the process has ended. */
export const ticks = (pid: number): number => Number(stat(pid)[11] ?? 0) + Number(stat(pid)[12] ?? 0)

const living = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isAlive)

export const childrenOf = (parent: number): ReadonlyArray<number> =>
  living().filter((pid) => stat(pid)[1] === String(parent))

/** The processes of the group that still do something. */
export const group = (pgid: number): ReadonlyArray<number> => living().filter((pid) => stat(pid)[2] === String(pgid))

/** Paths of the files below a folder. */
export const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : []

/** The bytes of a stored blob. */
export const blob = (blobs: string, sha256: string) =>
  Effect.promise(() => readFile(join(blobs, tenant, "blobs", sha256.slice(0, 2), sha256)))
