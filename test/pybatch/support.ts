import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { explain } from "../../src/drivers/Failure.ts"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"
import { findIsolation } from "../../src/drivers/isolation/Probe.ts"
import { program } from "../../src/drivers/Programs.ts"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import type { EngineSettings } from "../../src/layers/engine/EngineConfig.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import type { DagNode, Flowline, RunSettings } from "../../src/protocol/Flowline.ts"
import type { PythonPlace } from "../../src/protocol/Isolation.ts"
import { pybatch } from "../../src/run/pybatch/Pybatch.ts"
import { engine, follow, places, settings, spec } from "../engine/support.ts"
import { Memory } from "../nodes/memory.ts"

/** Whether this machine can run Python nodes at all. */
const interpreter = await findPython()
export const hasPython = interpreter !== undefined

/** Python as production runs it on this machine. */
export const python = async (root: string): Promise<PythonPlace> => ({
  interpreter,
  isolation: interpreter && (await findIsolation(interpreter, { root, hidden: [] }))
})

type Node = Partial<DagNode> & Pick<DagNode, "type">

/** A flowline with a chain of nodes, each subscribing to the one before it; `subscribe` and `publish` can be set. */
export const chain = (nodes: ReadonlyArray<Node>, limits: typeof RunSettings.Type = {}): Flowline => {
  const name = (node: Node) => node.component ?? node.type
  const [first, ...rest] = nodes.map((node, at): DagNode => {
    const before = nodes[at - 1]
    return {
      settings: {},
      subscribe: before === undefined ? [] : [{ component: name(before), stream: "out" }],
      publish: [{ stream: "out" }],
      ...node
    }
  })
  return { runtime: "pybatch", settings: limits, dag: [first!, ...rest] }
}

type Files = Readonly<Record<string, string | Uint8Array>>

const plant = async (conf: string, files: Files) => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(conf, path)), { recursive: true })
    await writeFile(join(conf, path), content)
  }
}

/**
 * Runs the flowline in this process, and its Python nodes in a real `python3`, with these configuration files of the
 * tenant.
 */
export const within = (flowline: Flowline, files: Files) => withinPlace(flowline, files)

/** The same with a Python that was found before. */
export const withinPlace = (flowline: Flowline, files: Files, place?: PythonPlace) =>
  Effect.gen(function* () {
    const { root, conf } = yield* places
    return yield* Effect.promise(async () => {
      await plant(conf, files)
      const tenant = new TenantFiles(conf)
      const memory = new Memory()
      const context = (component: string): RunContext => ({
        ...memory.context(component),
        glob: (pattern) => tenant.glob(pattern),
        read: (path) => tenant.read(path)
      })
      const given = { scratch: join(root, "scratch"), spec: {}, python: place ?? (await python(root)) }
      const job = await pybatch(flowline, context, given)
      const failure = await job.run().then(
        () => undefined,
        (cause: unknown) => explain(cause, [root])
      )
      const counts = job.counters().map((it) => [it.component, [it.recordsIn, it.recordsOut, it.errors]])
      return { failure, printed: memory.printed, counters: Object.fromEntries(counts) }
    })
  })

/** Runs the flowline in a real child with these configuration files of the tenant; returns all messages. */
export const run = (flowline: Flowline, files: Files, given: Partial<EngineSettings> = {}) =>
  Effect.gen(function* () {
    const { root, conf, data } = yield* places
    yield* Effect.promise(() => plant(conf, files))
    const messages = yield* Effect.provide(
      follow(spec(flowline)),
      engine(settings(root, { entry: program("run"), python: () => python(root), ...given }))
    )
    return { messages, data, root }
  })
