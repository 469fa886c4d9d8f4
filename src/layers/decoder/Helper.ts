import { fork } from "node:child_process"
import { writeFile } from "node:fs"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { processStat } from "../../drivers/ProcessStat.ts"
import { program } from "../../drivers/Programs.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import type { SqlFindings } from "../../services/flowlines/Decoder.ts"
import { lacksRoom } from "../engine/Lack.ts"
import { residentBytes } from "../engine/ProcessGroup.ts"
import type { Answer as ThreadAnswer, Task as ThreadTask } from "./decoderThread.ts"
import type { SqlTask } from "./sqlProcess.ts"

/**
 * Limits per file: milliseconds of processor time, and of elapsed time, which also covers waiting for a busy processor;
 * bytes of memory, by default {@link usualMemory}.
 */
export interface Limits {
  readonly processor: number
  readonly wall: number
  readonly memory?: number
}

/** A running thread or process that answers each message with one message. */
interface Started<Task> {
  readonly send: (task: Task) => void
  readonly stop: () => void
  /** Processor time used so far, in milliseconds; undefined where it cannot be measured. */
  readonly processor: Effect.Effect<number | undefined>
  /** Memory in bytes; absent where something else limits it. */
  readonly memory?: Effect.Effect<number>
}

/** Throws when the system has too little for it, such as processes or memory. */
export type Start<Task, Answer> = (
  on: {
    readonly answer: (answer: Answer | undefined) => void
    /** It has ended by itself; `lacking` when it found no room for another thread or file, which says nothing about its task. */
    readonly lost: (why?: "lacking") => void
  },
  memory: number
) => Started<Task>

/** Milliseconds after which an idle thread or process is stopped. */
const idle = 30_000
/** Milliseconds between two measurements of the processor time and the memory. */
const pause = 50
const mebibyte = 1024 * 1024
const usualMemory = 512 * mebibyte
/** With how much memory a thread or process is kept for the next file: half of what it may take. */
const keptMemory = (most: number): number => Math.max(most / 2, 192 * mebibyte)

const noRoom = Effect.suspend(() =>
  Effect.fail(new Overloaded({ detail: "The gateway cannot start another thread or process now" }))
)

/** A busy machine, or a frozen process. */
const noProcessor = Effect.suspend(() =>
  Effect.fail(new Overloaded({ detail: "The gateway has no processor for this file now" }))
)

/**
 * A thread or process for work that would block the gateway, one file at a time. It is started on demand, kept for a
 * while for the next file, and stopped when a file exceeds its limits.
 */
export class Helper<Task, Answer> {
  readonly #start: Start<Task, Answer>
  readonly #limits: Limits
  readonly #mostMemory: number
  #started: Started<Task> | undefined
  #timer: NodeJS.Timeout | undefined
  #answer: ((answer: Effect.Effect<Answer | undefined, Overloaded>) => void) | undefined
  /** Processor time used before the current file, in milliseconds. */
  #before = 0

  constructor(start: Start<Task, Answer>, limits: Limits) {
    this.#start = start
    this.#limits = limits
    this.#mostMemory = limits.memory ?? usualMemory
  }

  #used(): Effect.Effect<number> {
    return Effect.suspend(() => Effect.map(this.#started?.processor ?? Effect.succeed(0), (used) => used ?? 0))
  }

  #memory(): Effect.Effect<number> {
    return Effect.suspend(() => this.#started?.memory ?? Effect.succeed(0))
  }

  /** Begins a file: the limits apply to all its tasks together. */
  begin(): Effect.Effect<void> {
    return Effect.suspend(() => {
      clearTimeout(this.#timer)
      return Effect.zipWith(this.#used(), this.#memory(), (used, memory) => {
        this.#before = used
        // What earlier files have left does not count for this one.
        if (memory > keptMemory(this.#mostMemory)) this.stop()
      })
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), idle).unref()
  }

  #launch(): Started<Task> {
    this.#before = 0
    let started: Started<Task> | undefined
    // Ignores what comes late of a thread or process that was replaced, or could not be started.
    const isCurrent = () => started !== undefined && this.#started === started
    const on = {
      answer: (answer: Answer | undefined) => {
        if (isCurrent()) this.#answer?.(Effect.succeed(answer))
      },
      lost: (why?: "lacking") => {
        if (!isCurrent()) return
        this.stop()
        this.#answer?.(why === "lacking" ? noRoom : Effect.undefined)
      }
    }
    started = this.#start(on, this.#mostMemory)
    return started
  }

  /**
   * Returns the answer; undefined when the file exceeded its limits or the thread or process died. Fails when none can be
   * started now, or it may start no threads of its own, or does not get the processor: that says nothing about the file.
   */
  ask(task: Task): Effect.Effect<Answer | undefined, Overloaded> {
    const answered = Effect.callback<Answer | undefined, Overloaded>((resume) => {
      try {
        this.#started ??= this.#launch()
      } catch {
        return resume(noRoom)
      }
      this.#answer = (answer) => {
        this.#answer = undefined
        resume(answer)
      }
      this.#started.send(task)
      return Effect.sync(() => this.stop())
    })
    return Effect.raceFirst(answered, this.#exhausted()).pipe(
      Effect.timeoutOrElse({ duration: this.#limits.wall, orElse: () => noProcessor })
    )
  }

  /** Completes when the file has used up its processor time, or takes too much memory. */
  #exhausted(): Effect.Effect<undefined> {
    return Effect.zipWith(
      this.#used(),
      this.#memory(),
      (used, memory) => used - this.#before > this.#limits.processor || memory > this.#mostMemory
    ).pipe(Effect.delay(pause), Effect.repeat({ until: (isExhausted) => isExhausted }), Effect.as(undefined))
  }

  stop(): void {
    clearTimeout(this.#timer)
    const started = this.#started
    this.#started = undefined
    started?.stop()
  }
}

/** Starts a thread of the program. */
export const threadOf =
  <Task, Answer>(name: "decoder" | "pages"): Start<Task, Answer> =>
  ({ answer, lost }, memory) => {
    const worker = new Worker(program(name), {
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(memory / mebibyte) }
    })
    worker.on("message", answer)
    worker.on("error", () => lost())
    worker.on("exit", () => lost())
    return {
      send: (task) => worker.postMessage(task),
      stop: () => void worker.terminate(),
      processor: Effect.promise(() =>
        worker.cpuUsage().then(
          ({ user, system }) => (user + system) / 1000,
          () => undefined
        )
      )
    }
  }

/** Parses and validates files. */
export const startThread = threadOf<ThreadTask, ThreadAnswer>("decoder")

/**
 * DuckDB runs in a process: stopping it in a thread could crash the gateway, and it does not return its memory. Its own
 * limit does not count the texts and lists that it evaluates while it binds a statement.
 */
export const startSqlProcess: Start<SqlTask, SqlFindings> = ({ answer, lost }) => {
  const { PATH } = process.env
  const child = fork(fileURLToPath(program("sql")), {
    serialization: "advanced",
    execArgv: ["--max-old-space-size=256"],
    env: PATH === undefined ? {} : { PATH },
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  let said = ""
  child.stderr?.setEncoding("latin1").on("data", (text: string) => {
    said = (said + text).slice(-4096)
  })
  child.on("message", answer)
  child.on("error", () => lost())
  // After what it has printed. Only Linux kills it without being asked: when memory runs out.
  child.on("close", (_, signal) => lost(signal === "SIGKILL" || lacksRoom(said) ? "lacking" : undefined))
  if (child.pid === undefined) throw new Error("no process could be started")
  // Where memory runs out, it is killed like a run, and not the gateway or its PostgreSQL.
  writeFile(`/proc/${child.pid}/oom_score_adj`, "800", () => {})
  child.unref()
  child.channel?.unref()
  if (child.stderr instanceof Socket) child.stderr.unref()
  return {
    send: (task) => void child.send(task),
    stop: () => void child.kill("SIGKILL"),
    processor: Effect.sync(() => (child.pid === undefined ? undefined : processStat(child.pid)?.processorMillis)),
    memory: Effect.promise(async () => (child.pid === undefined ? 0 : residentBytes(child.pid)))
  }
}
