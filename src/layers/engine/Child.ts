import { ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFile } from "node:fs"
import { Duplex, Readable, type Writable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { inheritedVariables, program } from "../../drivers/Programs.ts"
import type { RunIsolation } from "../../protocol/Isolation.ts"
import { channelFd, encodeOrder, mayPublish, type Order } from "../../protocol/RunProtocol.ts"
import type { EngineSettings } from "./EngineConfig.ts"
import { lackIn } from "./Lack.ts"
import { endGroup, residentBytes, signalGroup } from "./ProcessGroup.ts"
import { compiledFolder } from "./RunLauncher.ts"

const tailBytes = 16 * 1024

/** How a child ended: its code or signal, and the last bytes of its standard streams. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly tail: string
}

/**
 * Size of each half of the young generation, in MiB. Batches are short-lived: with Node's default a run is not faster,
 * but holds tens of MiB of garbage.
 */
const youngMib = 8

/**
 * MiB of old objects below which no full collection takes place. While few records survive, V8 lowers that limit to
 * little more than the program itself takes. That means two collections in a run of some seconds, and two more for each
 * of its threads, which take about a twentieth of its processor time. V8 itself lowers the value for small heaps.
 */
const calmMib = 48

/** Node's options for the heap of a run. */
export const heapOptions = (memoryMib: number): ReadonlyArray<string> => [
  `--max-old-space-size=${memoryMib}`,
  `--initial-old-space-size=${calmMib}`,
  // When some records that one place in the program allocates happen to survive, V8 would allocate all later ones of
  // that place as old, which fill the heap with garbage until the end of the run.
  "--no-allocation-site-pretenuring",
  `--max-semi-space-size=${youngMib}`
]

/**
 * Starts a process in a folder, which is recreated, because cleaners of temporary folders may remove it. If `spawn` throws,
 * for example without free memory, or if the folder cannot be made, that is reported like all other failures of a start:
 * most children are started by a timer, and an exception there would end the gateway.
 */
const startIn = (folder: string, [command = "", ...args]: ReadonlyArray<string>, options: SpawnOptions) => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return spawn(command, args, { ...options, cwd: folder })
  } catch (error) {
    const unborn = new ChildProcess()
    process.nextTick(() => unborn.emit("error", error))
    return unborn
  }
}

/** A child process in its own process group. It waits for one {@link Order}. */
export class Child {
  readonly memoryMib: number
  /** Resolves when the process has ended; its group is being killed then. */
  readonly exited: Promise<Exit>
  readonly messages: Readable
  readonly #process: ChildProcess
  readonly #graceMillis: number
  readonly #lifeSigns: boolean
  readonly #door: Duplex | undefined
  #tail = ""
  #left = false
  #groupEnded: Promise<boolean> | undefined
  #stopped: Promise<void> | undefined

  constructor(
    settings: EngineSettings,
    isolation: Pick<RunIsolation, "launcher" | "hasDoor">,
    memoryMib: number,
    options: ReadonlyArray<string> = []
  ) {
    this.memoryMib = memoryMib
    this.#graceMillis = settings.graceMillis
    this.#lifeSigns = settings.lifeSigns !== undefined
    const cache = compiledFolder(settings.tempRoot)
    const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: cache }
    for (const name of inheritedVariables) if (name in process.env) env[name] = process.env[name]
    const entry = fileURLToPath(settings.entry ?? program("run"))
    const command = [...isolation.launcher, process.execPath, ...heapOptions(memoryMib), entry, ...options]
    this.#process = startIn(settings.tempRoot, command, {
      detached: true,
      env,
      // The fourth is the channel (`channelFd`), the fifth the signs of life (`signsFd`), the sixth the door of the
      // launcher.
      stdio: ["pipe", "pipe", "pipe", "pipe", settings.lifeSigns ?? "ignore", isolation.hasDoor ? "pipe" : "ignore"]
    })
    // Without free file descriptors, `spawn` returns neither a process nor streams.
    const stdio: ReadonlyArray<Readable | Writable | null | undefined> = this.#process.stdio ?? []
    for (const stream of stdio) stream?.on("error", () => {})
    this.#door = stdio[5] instanceof Duplex ? stdio[5] : undefined
    this.messages = stdio[channelFd] instanceof Readable ? stdio[channelFd] : Readable.from([])
    for (const stream of [this.#process.stdout, this.#process.stderr]) stream?.on("data", this.#keep)
    this.exited = new Promise((resolve) => {
      this.#process.once("error", (error) => {
        this.#keep(error.message)
        if (this.pid === undefined) resolve({ code: null, signal: null, tail: this.#tail })
      })
      this.#process.once("exit", async (code, signal) => {
        this.#left = true
        // The group must only be killed here: later the process id may belong to another group.
        this.#groupEnded = endGroup(this.pid!)
        // The end of its output may still be in the pipe.
        const { stderr } = this.#process
        if (stderr !== null && !stderr.closed)
          await once(stderr, "close", { signal: AbortSignal.timeout(500) }).catch(() => {})
        resolve({ code, signal, tail: this.#tail })
      })
    })
    if (this.pid === undefined) return
    // When the machine runs out of memory, Linux kills runs before the gateway.
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

  /** What the system had too little of, if that is why the child has not started or has ended. */
  get lack(): string | undefined {
    return this.alive ? undefined : lackIn(this.#tail)
  }

  /** Whether the child sees nothing of a tenant until {@link admit}. */
  get hasDoor(): boolean {
    return this.#door !== undefined
  }

  /**
   * Lets the child see these places: see `python/launch.py`. Returns `ok`, or the reason why not; empty if the child
   * has ended, because then its exit tells the reason.
   */
  async admit(places: ReadonlyArray<string>): Promise<string> {
    const door = this.#door
    if (door === undefined) return "ok"
    let said = ""
    door.on("data", (chunk: Buffer) => (said += chunk.toString()))
    door.write(`${places.join("\0")}\0\0`)
    await once(door, "close").catch(() => {})
    return said.trim()
  }

  order(order: Order): void {
    this.#process.stdin?.write(`${encodeOrder(order)}\n${this.#lifeSigns ? "\n" : ""}`)
  }

  /** Answers `Publishing`. */
  mayPublish(): void {
    this.#process.stdin?.write(mayPublish)
  }

  /** Resident bytes of the child's process group. */
  residentBytes(): number | Promise<number> {
    return this.alive ? residentBytes(this.#process.pid!) : 0
  }

  /** Kills the whole group at once. {@link stop} still has to be awaited. */
  kill(): void {
    if (this.alive) signalGroup(this.#process.pid!, "SIGKILL")
  }

  /** Asks the group to end, and kills it after the grace period. Messages can still be read. */
  terminate(): void {
    if (!this.alive) return
    signalGroup(this.#process.pid!, "SIGTERM")
    const timer = setTimeout(() => this.kill(), this.#graceMillis)
    void this.exited.then(() => clearTimeout(timer))
  }

  /** Waits until no process of the group is left. With `politely` the child has the grace period to clean up. */
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
    this.#door?.destroy()
  }
}
