import { join } from "node:path"
import { Effect, Layer, Option, Pool, Result } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import type { SourceDocument } from "../../languages/document/Document.ts"
import {
  check,
  conclude,
  FlowlineDecoder,
  type FlowlineDocument,
  parse,
  type Surroundings
} from "../../services/flowlines/Decoder.ts"
import type { Needs } from "../../services/flowlines/Outline.ts"
import { Settings } from "../../services/shared/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import type { Answer, Task } from "./decoderThread.ts"
import { Helper, type Limits, type Start, startSqlProcess, startThread } from "./Helper.ts"

/**
 * The processor limit is the one that messages state. The wall clock ends only a file that does not get the processor.
 */
const production: Limits = { processor: 10_000, wall: 60_000 }
const threadsAtOnce = 2

/** Size in bytes up to which a file is parsed within a few milliseconds. */
const lightBytes = 32 * 1024

/** Whether checking takes a few milliseconds at most: little text and few pattern references to compile. */
const isLight = ({ value }: SourceDocument, { patterns }: Surroundings): boolean => {
  const texts = [JSON.stringify(value), ...(patterns?.sources ?? []).map(({ text }) => text)]
  if (texts.reduce((length, text) => length + text.length, 0) > 64 * 1024) return false
  return texts.reduce((references, text) => references + text.split("%{").length - 1, 0) <= 40
}

const refused = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The flowline cannot be run", issues })
const tooMuch = refused([
  {
    detail: `The flowline takes more than ${production.processor / 1000} seconds, or too much memory, to be validated`
  }
])

const orRefused = <A>(result: Result.Result<A, ReadonlyArray<Issue>>): Effect.Effect<A, BadRequest> =>
  Effect.fromResult(Result.mapError(result, refused))

const pool = <Task, Answer>(start: Start<Task, Answer>, limits: Limits, size: number) =>
  Pool.make({
    acquire: Effect.acquireRelease(
      Effect.sync(() => new Helper(start, limits)),
      (helper) => Effect.sync(() => helper.stop())
    ),
    size
  })

/** Takes a helper from the pool for one file, until the scope ends. */
const lease = <Task, Answer>(helpers: Pool.Pool<Helper<Task, Answer>>) =>
  Effect.flatMap(Pool.get(helpers), (helper) =>
    Effect.as(
      Effect.acquireRelease(helper.begin(), () => Effect.sync(() => helper.end())),
      helper
    )
  )

/** The decoder with these limits per file. */
export const limited = (limits: Limits) =>
  Layer.effect(
    FlowlineDecoder,
    Effect.gen(function* () {
      const threads = yield* pool(startThread, limits, threadsAtOnce)
      const sqlProcess = yield* pool(startSqlProcess, limits, 1)
      const confRoot = Option.getOrUndefined(yield* Effect.serviceOption(Settings))?.conf
      /** The threads that hold parsed documents. */
      const keepers = new WeakMap<FlowlineDocument, Helper<Task, Answer>>()

      const answerOf = Effect.fnUntraced(function* (thread: Helper<Task, Answer>, task: Task) {
        const answer = yield* thread.ask(task)
        if (answer === undefined) return yield* tooMuch
        return "issues" in answer ? yield* refused(answer.issues) : answer
      })

      const sqlFindings = Effect.fnUntraced(function* ({ sql }: Needs, tenant: TenantId | undefined) {
        if (sql.length === 0) return []
        const conf = confRoot === undefined || tenant === undefined ? undefined : join(confRoot, "tenants", tenant)
        const found = yield* (yield* lease(sqlProcess)).ask({ nodes: sql, conf })
        return found ?? (yield* tooMuch)
      }, Effect.scoped)

      const checkInThread = Effect.fnUntraced(function* (value: unknown, surroundings: Surroundings) {
        const answer = yield* answerOf(yield* lease(threads), { value, surroundings })
        if ("flowline" in answer) return Result.succeed(answer.flowline)
        return "findings" in answer ? Result.fail(answer.findings) : yield* tooMuch
      }, Effect.scoped)

      return FlowlineDecoder.of({
        parse: Effect.fn("FlowlineDecoder.parse")(function* (file) {
          if (file.bytes.length <= lightBytes) return yield* orRefused(parse(file))
          const thread = yield* lease(threads)
          const answer = yield* answerOf(thread, { file })
          if (!("needs" in answer)) return yield* tooMuch
          const document: FlowlineDocument = { needs: answer.needs }
          keepers.set(document, thread)
          return document
        }),
        validate: Effect.fn("FlowlineDecoder.validate")(function* (document, surroundings) {
          const { needs, source } = document
          const sql = yield* sqlFindings(needs, surroundings.tenant)
          if (source !== undefined) {
            const { value } = source
            const checked = isLight(source, surroundings)
              ? check(value, surroundings)
              : yield* checkInThread(value, surroundings)
            return yield* orRefused(conclude({ needs, source }, checked, sql))
          }
          const thread = keepers.get(document)
          const answer = thread === undefined ? undefined : yield* answerOf(thread, { surroundings, sql })
          return answer !== undefined && "definition" in answer ? answer.definition : yield* tooMuch
        })
      })
    })
  )

/**
 * Decodes large files, and files with many patterns, in threads, so that they do not block the gateway; what takes a
 * few milliseconds is done directly. A document stays in the thread that parsed it. A file that exceeds its limits is
 * refused.
 */
export const layer = limited(production)
