import { Worker } from "node:worker_threads"
import { Effect, Layer, Option, Result, Semaphore } from "effect"
import { program } from "../../drivers/Programs.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { FlowlineDecoder, type FlowlineFile } from "../../services/flowlines/Decoder.ts"
import { type Definition, decode } from "../../services/flowlines/Definition.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { SqlProcess } from "./SqlProcess.ts"
import { holdsSql, mayHoldSql } from "./Statements.ts"
import type { Task } from "./thread.ts"

/** Milliseconds that a flowline has to be read and validated, its patterns compiled. */
const deadline = 10_000
/** Milliseconds after which a thread that nobody needs is let go. */
const idle = 30_000
const threadsAtOnce = 2

type Answer = { readonly definition: Definition } | { readonly issues: ReadonlyArray<Issue> }

/** Whether a file is read in a few milliseconds at most: it is small, and has few patterns to compile. */
const isLight = ({ bytes, patterns }: FlowlineFile): boolean => {
  if (bytes.length > 32 * 1024) return false
  const own = patterns?.sources ?? []
  if (own.reduce((length, { text }) => length + text.length, bytes.length) > 64 * 1024) return false
  let references = own.reduce((count, { text }) => count + text.split("%{").length - 1, 0)
  if (references > 40) return false
  for (let at = bytes.indexOf(0x25); at !== -1; at = bytes.indexOf(0x25, at + 1)) if (++references > 40) return false
  return true
}

const refused = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The flowline cannot be run", issues })
const tooMuch = refused([
  { detail: `The flowline takes more than ${deadline / 1000} seconds, or too much memory, to be validated` }
])

/** A thread that is kept for the next file for a while. */
class Thread {
  #worker: Worker | undefined
  #timer: NodeJS.Timeout | undefined
  #answer: ((answer: Answer | undefined) => void) | undefined

  #start(): Worker {
    const worker = new Worker(program("decoder"), { resourceLimits: { maxOldGenerationSizeMb: 512 } })
    const lost = () => {
      if (this.#worker !== worker) return
      this.close()
      this.#answer?.(undefined)
    }
    worker.on("message", (answer: Answer) => this.#answer?.(answer))
    worker.on("error", lost)
    worker.on("exit", lost)
    return worker
  }

  /** The answer, or undefined when the thread did not survive the file. */
  decode(task: Task): Effect.Effect<Answer | undefined> {
    return Effect.callback<Answer | undefined>((resume) => {
      clearTimeout(this.#timer)
      this.#answer = (answer) => {
        this.#answer = undefined
        this.#timer = setTimeout(() => this.close(), idle).unref()
        resume(Effect.succeed(answer))
      }
      this.#worker ??= this.#start()
      this.#worker.postMessage(task)
      return Effect.sync(() => this.close())
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }
}

/**
 * Decodes files in threads, so that a large one, or one with thousands of patterns, holds up nobody; what is read in a
 * few milliseconds is read at once. A file that takes too long, or too much memory, is refused.
 */
export const layer = Layer.effect(
  FlowlineDecoder,
  Effect.gen(function* () {
    const free = Array.from({ length: threadsAtOnce }, () => new Thread())
    const threads = [...free]
    const permits = yield* Semaphore.make(threadsAtOnce)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const thread of threads) thread.close()
      })
    )

    const confRoot = Option.getOrUndefined(yield* Effect.serviceOption(Settings))?.conf
    const sql = new SqlProcess()
    const sqlPermit = yield* Semaphore.make(1)
    yield* Effect.addFinalizer(() => Effect.sync(() => sql.close()))

    const inThread = (task: Task) =>
      permits.withPermits(1)(
        Effect.acquireUseRelease(
          Effect.sync(() => free.pop()!),
          (thread) => thread.decode(task).pipe(Effect.timeoutOption(deadline)),
          (thread) => Effect.sync(() => void free.push(thread))
        )
      )
    const inSqlProcess = (file: FlowlineFile) =>
      sqlPermit
        .withPermits(1)(Effect.timeoutOption(sql.findings({ file, confRoot }), deadline))
        .pipe(
          Effect.map(Option.getOrUndefined),
          Effect.flatMap((found) => (found === undefined ? Effect.fail(tooMuch) : Effect.succeed(found)))
        )

    const decoded = Effect.fnUntraced(function* (task: Task) {
      if (isLight(task.file)) return decode(task.file, task.more)
      const answer = Option.getOrUndefined(yield* inThread(task))
      if (answer === undefined) return yield* tooMuch
      return "definition" in answer ? Result.succeed(answer.definition) : Result.fail(answer.issues)
    })

    return FlowlineDecoder.of({
      decode: Effect.fn("FlowlineDecoder.decode")(function* (file) {
        const seen = mayHoldSql(file)
        let result = yield* decoded({ file, more: seen ? yield* inSqlProcess(file) : [] })
        // Escapes hid the word.
        if (!seen && holdsSql(result)) result = yield* decoded({ file, more: yield* inSqlProcess(file) })
        return Result.isSuccess(result) ? result.success : yield* refused(result.failure)
      })
    })
  })
)
