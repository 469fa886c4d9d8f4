import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { DagNode, Flowline } from "../src/protocol/Flowline.ts"
import { cpuSecondsOf } from "./measure.ts"

const tenant = "bench"

/** The tenant's configuration folder below a benchmark's folder. */
export const confOf = (folder: string): string => join(folder, "conf", "tenants", tenant)

/** A node that reads the stream `out` of another node, and publishes a stream of the same name. */
export const node = (type: string, settings: DagNode["settings"], from?: string): DagNode => ({
  type,
  settings,
  subscribe: from === undefined ? [] : [{ component: from, stream: "out" }],
  publish: type.endsWith("_output") ? [] : [{ stream: "out" }]
})

/**
 * Waits for the end of an execution by the event stream of its output. Polling its state would take processor time from
 * it: every 8 ms, a tenth of two cores.
 */
export const endOf = async (output: string): Promise<void> => {
  const { body } = await fetch(output, { headers: { accept: "text/event-stream" } })
  let said = ""
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    said = (said + chunk).slice(-1000)
    if (said.includes("event: end")) return
  }
  throw new Error(`The output ended without its end: ${said}`)
}

/** A gateway as its operator starts it, with its own PostgreSQL. */
export class Gateway {
  readonly #process: ChildProcess
  readonly #base: string

  private constructor(process: ChildProcess, base: string) {
    this.#process = process
    this.#base = base
  }

  static async start(folder: string): Promise<Gateway> {
    mkdirSync(confOf(folder), { recursive: true })
    const { NODE_COMPILE_CACHE: _, ...env } = process.env
    const gateway = spawn(process.execPath, [fileURLToPath(new URL("../bin/flow-gateway.js", import.meta.url))], {
      env: { ...env, FLOW_CONF: join(folder, "conf"), FLOW_DATA: join(folder, "data"), FLOW_PORT: "0" },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let said = ""
    for await (const chunk of gateway.stdout) {
      said += chunk
      const url = /ready (http:\S+)/.exec(said)?.[1]
      if (url === undefined) continue
      gateway.stdout.resume()
      return new Gateway(gateway, `${url}/v1/${tenant}/flowline`)
    }
    throw new Error("the gateway did not start")
  }

  get pid(): number {
    return this.#process.pid!
  }

  async #ask(path: string, init?: RequestInit) {
    return JSON.parse(await (await fetch(this.#base + path, init)).text())
  }

  async save(flowline: Flowline): Promise<string> {
    const body = new FormData()
    body.set("file", new Blob([JSON.stringify(flowline)]), "flowline.json")
    const saved = await this.#ask("/save", { method: "POST", body })
    if (saved.id === undefined) throw new Error(JSON.stringify(saved))
    return saved.id
  }

  /** Milliseconds from the request of an execution to its end, which must be a success. */
  async execute(id: string): Promise<number> {
    const began = performance.now()
    const execution = (await this.#ask(`/${id}`, { method: "POST" })).id
    await endOf(`${this.#base}/executions/${execution}/output`)
    const millis = performance.now() - began
    const detail = await this.#ask(`/${id}/executions/${execution}`)
    if (detail.state !== "SUCCEEDED") throw new Error(JSON.stringify(detail))
    return millis
  }

  /** Waits until the next runner is ready and everything is idle. */
  async idle(): Promise<void> {
    for (let last = -1, now = cpuSecondsOf([this.pid]); now - last > 0.02; now = cpuSecondsOf([this.pid])) {
      last = now
      await sleep(700)
    }
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM")
    await once(this.#process, "exit")
  }
}
