import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import type { DagNode, Flowline, RunSettings } from "../../src/protocol/Flowline.ts"
import { engine, follow, places, settings, spec } from "../engine/support.ts"

/** Whether this machine can run Python nodes at all. */
export const hasPython = (await findPython()) !== undefined

type Node = Partial<DagNode> & Pick<DagNode, "type">

/**
 * A flowline of nodes in a row, each taking what the one before it publishes; `subscribe` and `publish` can be given.
 */
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

/** Runs the flowline in a real child with these files in the tenant's configuration; all it said. */
export const run = (flowline: Flowline, files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.gen(function* () {
    const { root, conf, data } = yield* places
    yield* Effect.promise(async () => {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(conf, path)), { recursive: true })
        await writeFile(join(conf, path), content)
      }
    })
    const messages = yield* Effect.provide(follow(spec(flowline)), engine(settings(root, { entry: program("run") })))
    return { messages, data, root }
  })
