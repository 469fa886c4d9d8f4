import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { program } from "../../drivers/Programs.ts"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import type { Finding } from "../../services/flowlines/Validation.ts"

/** A file, and where its tenant's files are. */
export interface SqlTask {
  readonly file: FlowlineFile
  readonly confRoot: string | undefined
}

/** Milliseconds after which a process that nobody needs is let go. */
const idle = 30_000
const memoryMib = 256

/**
 * Reads SQL in a process of its own: DuckDB cannot be stopped in a thread without ending the whole process, and takes
 * memory that does not come back.
 */
export class SqlProcess {
  #process: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #answer: ((findings: ReadonlyArray<Finding> | undefined) => void) | undefined

  #start(): ChildProcess {
    const { PATH } = process.env
    const child = fork(fileURLToPath(program("sql")), {
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${memoryMib}`],
      env: PATH === undefined ? {} : { PATH },
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    const lost = () => {
      if (this.#process !== child) return
      this.close()
      this.#answer?.(undefined)
    }
    child.on("message", (findings: ReadonlyArray<Finding>) => {
      // What a process says that was given up answers an older file.
      if (this.#process === child) this.#answer?.(findings)
    })
    child.on("error", lost)
    child.on("exit", lost)
    child.unref()
    child.channel?.unref()
    return child
  }

  /** What is wrong with the file's SQL, or undefined when the process did not survive it. One file at a time. */
  findings(task: SqlTask): Effect.Effect<ReadonlyArray<Finding> | undefined> {
    return Effect.callback<ReadonlyArray<Finding> | undefined>((resume) => {
      clearTimeout(this.#timer)
      this.#answer = (findings) => {
        this.#answer = undefined
        this.#timer = setTimeout(() => this.close(), idle).unref()
        resume(Effect.succeed(findings))
      }
      this.#process ??= this.#start()
      this.#process.send(task)
      return Effect.sync(() => this.close())
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    const child = this.#process
    this.#process = undefined
    child?.kill("SIGKILL")
  }
}
