import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFile } from "node:fs"
import { setPriority } from "node:os"
import { join } from "node:path"
import { Readable, type Writable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { program } from "../../drivers/Programs.ts"
import { heartbeat } from "../../protocol/Liveness.ts"
import { channelFd, encodeOrder, type Order } from "../../protocol/RunProtocol.ts"
import type { EngineSettings } from "./EngineConfig.ts"
import { endGroup, residentBytes, signalGroup } from "./ProcessGroup.ts"

/** What a child needs of this process's environment. Settings and secrets stay here. */
const passed = ["PATH", "TZ", "LANG", "LC_ALL", "SystemRoot"]

/** What `nice` calls niceness. */
const runPriority = 4
const tailBytes = 16 * 1024

/** How a child left: its code or signal, and the end of what it wrote to its standard streams. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly tail: string
}

/**
 * Half of the memory for what a run has just made. Batches are gone soon: with Node's own 32 a run is not quicker, and
 * keeps tens of MiB of what it has dropped.
 */
const youngMib = 8

/** Node's options for the heap of a run. */
export const heapOptions = (memoryMib: number): ReadonlyArray<string> => [
  `--max-old-space-size=${memoryMib}`,
  `--max-semi-space-size=${youngMib}`
]

/** A child process with a process group of its own. It waits for one {@link Order}. */
export class Child {
  readonly memoryMib: number
  /** Resolves when the process is gone; its group is being killed then. */
  readonly exited: Promise<Exit>
  readonly messages: Readable
  readonly #process: ChildProcess
  readonly #graceMillis: number
  readonly #lifeSigns: boolean
  #life: NodeJS.Timeout | undefined
  #tail = ""
  #left = false
  #groupEnded: Promise<boolean> | undefined
  #stopped: Promise<void> | undefined

  constructor(settings: EngineSettings, memoryMib: number, options: ReadonlyArray<string> = []) {
    this.memoryMib = memoryMib
    this.#graceMillis = settings.graceMillis
    this.#lifeSigns = settings.lifeSigns
    const cache = process.env["NODE_COMPILE_CACHE"] ?? join(settings.tempRoot, "compiled")
    const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: cache }
    for (const name of passed) if (name in process.env) env[name] = process.env[name]
    // A folder for temporary files may be emptied by others, and a child needs one to be in.
    mkdirSync(settings.tempRoot, { recursive: true })
    const entry = fileURLToPath(settings.entry ?? program("run"))
    this.#process = spawn(process.execPath, [...heapOptions(memoryMib), entry, ...options], {
      detached: true,
      cwd: settings.tempRoot,
      env,
      stdio: ["pipe", "pipe", "pipe", "pipe"]
    })
    // Without free file descriptors there is neither a process nor its streams.
    const stdio: ReadonlyArray<Readable | Writable | null | undefined> = this.#process.stdio ?? []
    for (const stream of stdio) stream?.on("error", () => {})
    this.messages = stdio[channelFd] instanceof Readable ? stdio[channelFd] : Readable.from([])
    for (const stream of [this.#process.stdout, this.#process.stderr]) stream?.on("data", this.#keep)
    this.exited = new Promise((resolve) => {
      this.#process.once("error", (error) => {
        this.#keep(error.message)
        if (this.pid === undefined) resolve({ code: null, signal: null, tail: this.#tail })
      })
      this.#process.once("exit", async (code, signal) => {
        this.#left = true
        // At once, and never again: later the number may belong to somebody else's group.
        this.#groupEnded = endGroup(this.pid!)
        // Its last words may still be in the pipe.
        const { stderr } = this.#process
        if (stderr !== null && !stderr.closed)
          await once(stderr, "close", { signal: AbortSignal.timeout(500) }).catch(() => {})
        resolve({ code, signal, tail: this.#tail })
      })
    })
    if (this.pid === undefined) return
    // Many runs at once take all processors: the gateway and its PostgreSQL go before them, or every request waits.
    try {
      setPriority(this.pid, runPriority)
    } catch {}
    // A process group is a session of its own, and Linux may share the processors between sessions first: sched(7).
    writeFile(`/proc/${this.pid}/autogroup`, String(runPriority), () => {})
    // Where memory runs out on the whole machine, the runs go before the gateway.
    writeFile(`/proc/${this.pid}/oom_score_adj`, "800", () => {})
  }

  readonly #keep = (chunk: Buffer | string): void => {
    this.#tail = (this.#tail + chunk.toString("latin1")).slice(-tailBytes)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get alive(): boolean {
    return !this.#left && this.pid !== undefined
  }

  order(order: Order): void {
    this.#process.stdin?.write(`${encodeOrder(order)}\n${this.#lifeSigns ? "\n" : ""}`)
    if (!this.#lifeSigns) return
    this.#life = setInterval(() => this.#process.stdin?.write("\n"), heartbeat)
    void this.exited.then(() => clearInterval(this.#life))
  }

  /** Resident bytes of the child and of what it started. */
  residentBytes(): number | Promise<number> {
    return this.alive ? residentBytes(this.#process.pid!) : 0
  }

  /** Kills the whole group at once; {@link stop} still has to be awaited. */
  kill(): void {
    if (this.alive) signalGroup(this.#process.pid!, "SIGKILL")
  }

  /** Asks the group to end, and kills it when the grace is over. What the child said can still be read. */
  terminate(): void {
    if (!this.alive) return
    signalGroup(this.#process.pid!, "SIGTERM")
    const timer = setTimeout(() => this.kill(), this.#graceMillis)
    void this.exited.then(() => clearTimeout(timer))
  }

  /** Waits until no process of the group is left. `politely` gives the child the grace to clean up, else to leave. */
  stop(politely: boolean): Promise<void> {
    this.#stopped ??= this.#stop(politely)
    return this.#stopped
  }

  async #stop(politely: boolean): Promise<void> {
    if (this.alive) {
      if (politely) signalGroup(this.#process.pid!, "SIGTERM")
      const grace = new AbortController()
      await Promise.race([this.exited, sleep(this.#graceMillis, undefined, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      this.kill()
      await this.exited
    }
    await this.#groupEnded
    this.#process.stdin?.destroy()
    this.messages.destroy()
  }
}
