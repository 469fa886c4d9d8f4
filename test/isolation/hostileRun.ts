import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { Effect, Layer } from "effect"
import type { RunContext } from "../../src/nodes/Node.ts"
import { serve } from "../../src/run/Run.ts"

// The program of a run that an attacker controls: it makes the requested attempts, and prints the result of each. No
// attempt changes anything outside of the run if it succeeds.

const connect = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = createConnection(port, "127.0.0.1", () => {
      socket.destroy()
      resolve("connected")
    })
    socket.on("error", reject)
  })

const attempts: Readonly<Record<string, (target: string) => string | Promise<string>>> = {
  read: (path) => `read ${readFileSync(path).length} bytes`,
  list: (path) => readdirSync(path).sort().join(" "),
  write: (path) => {
    appendFileSync(path, "")
    return "could write"
  },
  create: (path) => {
    mkdirSync(path)
    rmSync(path, { recursive: true })
    return "could create"
  },
  keep: (path) => {
    writeFileSync(path, "kept")
    return "kept"
  },
  kill: (pid) => {
    process.kill(Number(pid), 0)
    return "could kill"
  },
  status: (name) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "",
  processes: () => String(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length),
  commands: () =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && name !== "1")
      .map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "))
      .join("\n"),
  outerUser: () => readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/)[1] ?? "",
  owner: (path) => String(statSync(path).uid === process.geteuid?.()),
  connect: (port) => connect(Number(port))
}

const attempt = async (context: RunContext, name: string, call: string, target: string) => {
  let outcome: string
  try {
    outcome = (await attempts[call]?.(target)) ?? "unknown"
  } catch (error) {
    outcome = `refused: ${error instanceof Error ? error.message : error}`
  }
  await context.print([JSON.stringify({ attempt: name, outcome })])
}

await serve(async () => ({
  runtime: () => (flowline, makeContext) => ({
    counters: () => [],
    run: async () => {
      const node = flowline.dag[0]
      const told = node.settings["attempts"]
      if (!Array.isArray(told)) throw new Error("no attempts")
      const context = makeContext(node.type)
      for (const [name, call, target] of told) await attempt(context, name, call, String(target))
    }
  }),
  blobs: (store) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("../../src/drivers/blobs/BlobsAt.ts")),
        ({ runLayer }) => runLayer(store)
      )
    )
}))
