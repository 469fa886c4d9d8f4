import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { type Cost, costOf } from "./measure.ts"

type Autocannon = (options: object) => Promise<{
  requests: { total: number }
  latency: { p99: number }
  non2xx: number
  errors: number
}>
const autocannon: Autocannon = createRequire(import.meta.url)("autocannon")

export interface Server {
  readonly pid: number
  readonly url: string
}

export interface Load extends Cost {
  readonly requests: number
  readonly requestsPerSecond: number
  /** Processor time of all participating processes, except the client. */
  readonly microsPerRequest: number
  /** Milliseconds. */
  readonly p99: number
}

/**
 * Starts servers that report their port by a message or by the gateway's ready line. The stderr of each goes to a file.
 */
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

/**
 * Sends GETs over `connections`, 64 by default, for a time or a number of requests. Any answer other than 2xx ends the
 * benchmark. `helpers` are processes that take part besides the server, with their descendants. If there are several
 * paths, each connection starts with another one.
 */
export const load = async (
  { pid, url }: Server,
  path: string | ReadonlyArray<string>,
  headers: Readonly<Record<string, string>>,
  more: { readonly duration: number } | { readonly amount: number; readonly connections: number },
  helpers: ReadonlyArray<number> = []
): Promise<Load> => {
  const paths = typeof path === "string" ? [path] : path
  let begun = 0
  const setupClient = (client: { readonly setRequests: (requests: ReadonlyArray<object>) => void }) => {
    const at = begun++ % paths.length
    client.setRequests([...paths.slice(at), ...paths.slice(0, at)].map((path) => ({ path })))
  }
  let result: Awaited<ReturnType<typeof autocannon>> | undefined
  const cost = await costOf([pid, ...helpers], async () => {
    result = await autocannon({ url: url + paths[0], connections: 64, sampleInt: 50, headers, setupClient, ...more })
  })
  if (result === undefined) throw new Error(`${paths[0]}: nothing was measured`)
  if (result.non2xx + result.errors > 0) throw new Error(`${paths[0]}: ${result.non2xx} answers other than 2xx`)
  const { total } = result.requests
  return {
    ...cost,
    requests: total,
    requestsPerSecond: total / cost.seconds,
    microsPerRequest: (cost.cpuSeconds * 1e6) / total,
    p99: result.latency.p99
  }
}
