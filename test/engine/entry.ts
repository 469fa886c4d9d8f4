import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, Layer } from "effect"
import { packagePath } from "../../src/drivers/Package.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import type { NodeCounters } from "../../src/protocol/RunProtocol.ts"
import { serve } from "../../src/run/Run.ts"

// The child's program with nodes that do what a run must be prevented from doing. Each is a separate flowline. What
// only some of them need is only loaded by these.

const forever = () => new Promise<void>(() => setInterval(() => {}, 1000))

/** A process of the run that does not listen to SIGTERM. */
const stubborn = () => spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { stdio: "ignore" })

type Act = (context: RunContext, settings: DagNode["settings"], count: (records: number) => void) => Promise<void>

const acts = new Map<string, Act>([
  [
    "test_eat_heap",
    async () => {
      const kept: Array<Array<number>> = []
      for (;;) kept.push(new Array(500_000).fill(0.5))
    }
  ],
  [
    "test_eat_buffers",
    async () => {
      const kept: Array<Buffer> = []
      for (;;) {
        kept.push(Buffer.alloc(8 * 1024 * 1024, 1))
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  ],
  [
    "test_busy",
    async (context) => {
      await context.print(["busy"])
      // Behind the timer that sends the line.
      await new Promise((resolve) => setTimeout(resolve, 100))
      for (;;);
    }
  ],
  [
    "test_family",
    async (context) => {
      const child = stubborn()
      await context.print([String(child.pid)])
      await forever()
    }
  ],
  [
    "test_leave_family",
    async (context) => {
      await context.print([String(stubborn().pid)])
    }
  ],
  [
    "test_print",
    async (context, settings, count) => {
      const line = String(settings["text"] ?? "x").repeat(Number(settings["repeat"] ?? 1))
      const lines = Number(settings["lines"] ?? Number.POSITIVE_INFINITY)
      await new Promise((resolve) => setTimeout(resolve, Number(settings["pause"] ?? 0)))
      for (let i = 0; i < lines; i++) {
        await context.print([`${i} ${line}`])
        count(i + 1)
        if (i % 1000 === 999) await new Promise((resolve) => setImmediate(resolve))
      }
    }
  ],
  [
    "test_file",
    async (context, settings) => {
      const file = await context.file("half.bin")
      const chunk = Buffer.alloc(256 * 1024, 7)
      for (let i = 0; i < Number(settings["chunks"]); i++) await file.write(chunk)
      await context.print(["written"])
      if (settings["after"] === "throw") throw new Error("changed my mind")
      if (settings["after"] === "busy") {
        await new Promise((resolve) => setTimeout(resolve, 200))
        for (;;);
      }
      await file.close()
    }
  ],
  [
    "test_entries",
    async (context, settings) => {
      const chunk = Buffer.alloc(256 * 1024, 7)
      const [first, second] = [await context.archiveEntry("a.bin"), await context.archiveEntry("b.bin")]
      for (let i = 0; i < Number(settings["chunks"]); i++) {
        await first.write(chunk)
        await second.write("second\n")
      }
      if (settings["after"] === "throw") throw new Error("changed my mind")
      await second.close()
      await first.close()
    }
  ],
  ["test_exit", async () => process.exit(7)],
  [
    "test_kill",
    async (_, settings) => {
      if (settings["says"] !== undefined) throw new Error(String(settings["says"]))
      process.kill(process.pid, "SIGKILL")
      await forever()
    }
  ],
  [
    "test_throw_later",
    async () => {
      setTimeout(() => {
        throw new Error(`thrown at ${packagePath("test/engine/entry.ts")}\n    at stack`)
      }, 10)
      await forever()
    }
  ],
  [
    "test_reject_unheard",
    async () => {
      void Promise.reject(new Error("nobody heard"))
      await forever()
    }
  ],
  [
    "test_garbage",
    async () => {
      const { writeSync } = await import("node:fs")
      writeSync(3, '{"_tag":"Nonsense"}\n')
      await forever()
    }
  ],
  [
    "test_last_words",
    async ({ signal }) => {
      const { writeSync } = await import("node:fs")
      const words = { _tag: "Ended", outcome: "failed", error: "interrupted", component: "a", at: 1 }
      signal.addEventListener("abort", () => writeSync(3, `${JSON.stringify(words)}\n`))
      await forever()
    }
  ],
  [
    "test_stdout",
    async (context, settings) => {
      const chunk = Buffer.alloc(1024 * 1024, "noise ")
      for (let i = 0; i < Number(settings["mib"]); i++) {
        if (!process.stdout.write(chunk)) await once(process.stdout, "drain")
      }
      await context.print(["all of it"])
    }
  ],
  [
    "test_env",
    async (context) => {
      await context.print(Object.keys(process.env))
    }
  ],
  [
    "test_read",
    async (context, settings) => {
      for (const pattern of String(settings["paths"]).split(",")) {
        try {
          const lengths: Array<string> = []
          for (const path of await context.glob(pattern)) {
            let bytes = 0
            for await (const chunk of context.read(path)) bytes += chunk.length
            lengths.push(`${path} ${bytes}`)
          }
          await context.print([lengths.join(", ")])
        } catch (error) {
          await context.print([String(error)])
        }
      }
    }
  ]
])

await serve(async () => ({
  runtime: () => async (flowline, makeContext) => {
    const node = flowline.dag[0]
    const act = acts.get(node.type)
    if (act === undefined) return (await import("../../src/run/stream/Pipeline.ts")).pipeline(flowline, makeContext)
    let records = 0
    const counters = (): ReadonlyArray<NodeCounters> => [
      { component: node.type, recordsIn: 0, recordsOut: records, errors: 0 }
    ]
    const count = (n: number) => {
      records = n
    }
    return { counters, run: () => act(makeContext(node.type), node.settings, count) }
  },
  // No gateway has made the folder.
  blobs: (store) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("../../src/drivers/blobs/BlobsAt.ts")),
        ({ layer }) => Layer.orDie(layer(store))
      )
    )
}))
