import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

type Autocannon = (
  options: object
) => Promise<{ requests: { total: number; average: number }; non2xx: number; errors: number }>
const autocannon: Autocannon = createRequire(import.meta.url)("autocannon")

export interface Server {
  readonly pid: number
  readonly url: string
}

export interface Load {
  readonly requestsPerSecond: number
  readonly microsPerRequest: number
}

/** Processor time of a process so far, in microseconds: of all its threads that still live (schedstat, in ns). */
export const cpuMicros = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1000)
    .reduce((sum, micros) => sum + micros, 0)

/** Starts servers that say their port by a message or by the gateway's line, each with its stderr in a file. */
export const startServers = (folder: string) => {
  const children: Array<ChildProcess> = []
  const start = async (
    args: ReadonlyArray<string>,
    { env = {}, core }: { readonly env?: Record<string, string>; readonly core?: number } = {}
  ): Promise<Server> => {
    const err = openSync(join(folder, `${children.length}.log`), "w")
    const pinned = core === undefined ? [] : ["taskset", "-c", String(core)]
    const [command, ...rest] = [...pinned, process.execPath, ...args]
    const child = spawn(command!, rest, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", err, "ipc"] })
    children.push(child)
    const port = await Promise.race([
      once(child, "message").then(([message]) => (message as { port: number }).port),
      (async () => {
        let text = ""
        for await (const chunk of child.stdout!) {
          text += chunk
          const ready = /ready http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
          if (ready !== null) return Number(ready[1])
        }
        return new Promise<number>(() => {})
      })(),
      once(child, "exit").then(() => {
        throw new Error(`${args.join(" ")} has ended`)
      })
    ])
    return { pid: child.pid!, url: `http://127.0.0.1:${port}` }
  }
  const stop = async () => {
    for (const child of children) child.kill()
    await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : undefined)))
  }
  return { start, stop }
}

/** Sends GETs over 64 connections or others, for a time or so many of them. Any answer other than 2xx ends the benchmark. */
export const load = async (
  { pid, url }: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
  more: { readonly duration: number } | { readonly amount: number; readonly connections: number }
): Promise<Load> => {
  const before = cpuMicros(pid)
  const result = await autocannon({ url: url + path, connections: 64, sampleInt: 50, headers, ...more })
  if (result.non2xx + result.errors > 0) throw new Error(`${path}: ${result.non2xx} answers other than 2xx`)
  return {
    requestsPerSecond: result.requests.average,
    microsPerRequest: (cpuMicros(pid) - before) / result.requests.total
  }
}
