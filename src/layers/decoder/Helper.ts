import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { Effect, Option } from "effect"
import { processStat } from "../../drivers/ProcessStat.ts"
import { program } from "../../drivers/Programs.ts"
import type { Finding } from "../../services/flowlines/Validation.ts"
import type { Answer as ThreadAnswer, Task as ThreadTask } from "./decoderThread.ts"
import type { SqlTask } from "./sqlProcess.ts"

/** Milliseconds that a file may cost: of processor, and by the clock, where the machine is busy with something else. */
export interface Limits {
  readonly processor: number
  readonly wall: number
}

/** A thread or process that answers each message with one message. */
export interface Started<Task> {
  readonly send: (task: Task) => void
  readonly stop: () => void
  /** Milliseconds of processor that it has had; undefined where nothing tells. */
  readonly processor: Effect.Effect<number | undefined>
}

export type Start<Task, Answer> = (on: {
  readonly answer: (answer: Answer | undefined) => void
  readonly lost: () => void
}) => Started<Task>

/** Milliseconds after which one that nobody needs is let go. */
const idle = 30_000
/** Milliseconds between two looks at what a file has cost. */
const pause = 200

/**
 * A thread or process that does what must not hold up the gateway, for one file at a time. It is started when it is
 * needed, kept for the next file for a while, and stopped when a file costs too much.
 */
export class Helper<Task, Answer> {
  readonly #start: Start<Task, Answer>
  readonly #limits: Limits
  #started: Started<Task> | undefined
  #timer: NodeJS.Timeout | undefined
  #answer: ((answer: Answer | undefined) => void) | undefined
  /** What had been used before the file. */
  #before = 0

  constructor(start: Start<Task, Answer>, limits: Limits) {
    this.#start = start
    this.#limits = limits
  }

  #used(): Effect.Effect<number> {
    return Effect.suspend(() => Effect.map(this.#started?.processor ?? Effect.succeed(0), (used) => used ?? 0))
  }

  /** Begins with a file: what is asked until the next one counts together. */
  begin(): Effect.Effect<void> {
    return Effect.suspend(() => {
      clearTimeout(this.#timer)
      return Effect.map(this.#used(), (used) => {
        this.#before = used
      })
    })
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), idle).unref()
  }

  #launch(): Started<Task> {
    this.#before = 0
    const started: Started<Task> = this.#start({
      // What one says that was given up answers an older file.
      answer: (answer) => {
        if (this.#started === started) this.#answer?.(answer)
      },
      lost: () => {
        if (this.#started !== started) return
        this.stop()
        this.#answer?.(undefined)
      }
    })
    return started
  }

  /** The answer; undefined when it cost too much, or when the thread or process did not survive it. */
  ask(task: Task): Effect.Effect<Answer | undefined> {
    const answered = Effect.callback<Answer | undefined>((resume) => {
      this.#answer = (answer) => {
        this.#answer = undefined
        resume(Effect.succeed(answer))
      }
      this.#started ??= this.#launch()
      this.#started.send(task)
      return Effect.sync(() => this.stop())
    })
    return Effect.raceFirst(answered, this.#exhausted()).pipe(
      Effect.timeoutOption(this.#limits.wall),
      Effect.map(Option.getOrUndefined)
    )
  }

  /** Settles when the file has had the processor for too long: time that others had it does not count. */
  #exhausted(): Effect.Effect<undefined> {
    return this.#used().pipe(
      Effect.delay(pause),
      Effect.repeat({ until: (used) => used - this.#before > this.#limits.processor }),
      Effect.as(undefined)
    )
  }

  stop(): void {
    clearTimeout(this.#timer)
    const started = this.#started
    this.#started = undefined
    started?.stop()
  }
}

export const startThread: Start<ThreadTask, ThreadAnswer> = ({ answer, lost }) => {
  const worker = new Worker(program("decoder"), { resourceLimits: { maxOldGenerationSizeMb: 512 } })
  worker.on("message", answer)
  worker.on("error", lost)
  worker.on("exit", lost)
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

/** DuckDB needs a process: it cannot be stopped in a thread without ending the gateway, and keeps the memory it took. */
export const startSqlProcess: Start<SqlTask, ReadonlyArray<Finding>> = ({ answer, lost }) => {
  const { PATH } = process.env
  const child = fork(fileURLToPath(program("sql")), {
    serialization: "advanced",
    execArgv: ["--max-old-space-size=256"],
    env: PATH === undefined ? {} : { PATH },
    stdio: ["ignore", "ignore", "ignore", "ipc"]
  })
  child.on("message", answer)
  child.on("error", lost)
  child.on("exit", lost)
  child.unref()
  child.channel?.unref()
  return {
    send: (task) => void child.send(task),
    stop: () => void child.kill("SIGKILL"),
    processor: Effect.sync(() => (child.pid === undefined ? undefined : processStat(child.pid)?.processorMillis))
  }
}
