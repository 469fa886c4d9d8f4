import { join } from "node:path"
import { Effect, Layer, Option, Result } from "effect"
import { availableMemory, usualWork } from "../../drivers/UsualWork.ts"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { mayTakeLong } from "../../languages/grok/CompileTime.ts"
import {
  check,
  conclude,
  FlowlineDecoder,
  type FlowlineDocument,
  noSql,
  parse,
  positionsIn,
  type SqlFindings,
  type Surroundings
} from "../../services/flowlines/Decoder.ts"
import type { FlowlineFile } from "../../services/flowlines/FlowlineFile.ts"
import type { FullVersion } from "../../services/flowlines/FlowlineStore.ts"
import type { FilledContent } from "../../services/flowlines/validation/FilledContent.ts"
import type { Needs } from "../../services/flowlines/validation/Outline.ts"
import { compared } from "../../services/flowlines/versions/Comparison.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import type { Answer, Task } from "./decoderThread.ts"
import { type Helper, type Limits, startSqlProcess, startThread } from "./Helper.ts"
import { sharing } from "./SharedHelpers.ts"

/**
 * The processor limit is the one that messages state. The wall clock ends only a file that does not get the processor.
 */
const production: Limits = { processor: 10_000, wall: 60_000 }

const usual = usualWork(availableMemory())

/** Files of one tenant that may wait for a thread or a process. */
const mostWaiting = 16
const queue = {
  each: mostWaiting,
  full: () =>
    new Overloaded({
      detail: `${mostWaiting} flowlines of this tenant are already waiting to be validated or compared`
    })
}
/** Slow files leave half of the threads to tenants that use none. */
const threadTurns = {
  all: usual.validations,
  each: Math.ceil(usual.validations / 2),
  kept: Math.floor(usual.validations / 2),
  queue
}
/** DuckDB takes much memory, so each tenant has one process at a time. */
const sqlTurns = { all: usual.sqlChecks, each: 1, queue }

/** Size in bytes up to which files without anchors are parsed, and all are compared, within a few milliseconds. */
const lightBytes = 8 * 1024

const sizeOf = ({ dag, file }: FullVersion): number => dag.length + (file?.bytes.length ?? 0)

/** An anchor of YAML, whose aliases may repeat what it names a hundred thousand times. */
const anchor = /(?:^|[\s[{,:])&[^\s&]/

/** Whether parsing takes a few milliseconds at most. */
const isShort = ({ bytes }: FlowlineFile): boolean =>
  bytes.length <= lightBytes && !anchor.test(new TextDecoder("latin1").decode(bytes))

/** Whether checking takes a few milliseconds at most: little text, and nothing to compile that may take longer. */
const isLight = ({ heavy }: Needs, { matched, value }: FilledContent, { patterns }: Surroundings): boolean => {
  if (heavy || matched.length > 0) return false
  if (JSON.stringify(value).length > 2 * lightBytes) return false
  const own = (patterns?.sources ?? []).map(({ text }) => text)
  return own.reduce((length, text) => length + text.length, 0) <= lightBytes && !mayTakeLong(own)
}

const refused = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The flowline cannot be run", issues })
const tooMuch = refused([
  {
    detail: `The flowline takes more than ${production.processor / 1000} seconds, or too much memory, to be validated`
  }
])
const incomparable = new Overloaded({
  detail: `The versions take more than ${production.processor / 1000} seconds, or too much memory, to be compared`
})

const orRefused = <A>(result: Result.Result<A, ReadonlyArray<Issue>>): Effect.Effect<A, BadRequest> =>
  Effect.fromResult(Result.mapError(result, refused))

/** The decoder with these limits per file. */
export const limited = (limits: Limits) =>
  Layer.effect(
    FlowlineDecoder,
    Effect.gen(function* () {
      const aThread = yield* sharing(
        startThread,
        { memory: usual.validationBytes, ...limits },
        threadTurns,
        "validations"
      )
      const anSqlProcess = yield* sharing(
        startSqlProcess,
        { memory: usual.sqlCheckBytes, ...limits },
        sqlTurns,
        "sql_checks"
      )
      const confRoot = Option.getOrUndefined(yield* Effect.serviceOption(Settings))?.conf
      /** The threads that hold parsed documents. */
      const keepers = new WeakMap<FlowlineDocument, Helper<Task, Answer>>()

      const answerOf = Effect.fnUntraced(function* (thread: Helper<Task, Answer>, task: Task) {
        const answer = yield* thread.ask(task)
        if (answer === undefined) return yield* tooMuch
        return "issues" in answer ? yield* refused(answer.issues) : answer
      })

      const sqlFindings = Effect.fnUntraced(function* ({ sql }: Needs, tenant: TenantId | undefined) {
        if (sql.length === 0) return noSql
        const conf = confRoot === undefined || tenant === undefined ? undefined : join(confRoot, "tenants", tenant)
        const found = yield* (yield* anSqlProcess(tenant)).ask({ nodes: sql, conf })
        return found ?? (yield* tooMuch)
      }, Effect.scoped)

      const checkInThread = Effect.fnUntraced(function* (
        filled: FilledContent,
        surroundings: Surroundings,
        sql: SqlFindings
      ) {
        const answer = yield* answerOf(yield* aThread(surroundings.tenant), { filled, surroundings, sql })
        if ("checked" in answer) return Result.succeed(answer.checked)
        return "findings" in answer ? Result.fail(answer.findings) : yield* tooMuch
      }, Effect.scoped)

      return FlowlineDecoder.of({
        parse: Effect.fn("FlowlineDecoder.parse")(function* (file, tenant, values) {
          if (isShort(file)) return yield* orRefused(parse(file, values))
          const thread = yield* aThread(tenant)
          const answer = yield* answerOf(thread, { file, values })
          if (!("needs" in answer)) return yield* tooMuch
          const document: FlowlineDocument = { needs: answer.needs }
          keepers.set(document, thread)
          return document
        }),
        validate: Effect.fn("FlowlineDecoder.validate")(function* (document, surroundings) {
          const { filled, needs, source } = document
          const sql = yield* sqlFindings(needs, surroundings.tenant)
          if (source !== undefined && filled !== undefined) {
            const checked = isLight(needs, filled, surroundings)
              ? check(filled, surroundings, sql)
              : yield* checkInThread(filled, surroundings, sql)
            return yield* orRefused(conclude({ needs, source, filled }, checked, sql))
          }
          const thread = keepers.get(document)
          const answer = thread === undefined ? undefined : yield* answerOf(thread, { surroundings, sql })
          return answer !== undefined && "definition" in answer ? answer.definition : yield* tooMuch
        }),
        positions: Effect.fn("FlowlineDecoder.positions")(function* (file, pointers, tenant) {
          if (isShort(file)) return yield* orRefused(positionsIn(file, pointers))
          const answer = yield* answerOf(yield* aThread(tenant), { file, pointers })
          return "positions" in answer ? answer.positions : yield* tooMuch
        }, Effect.scoped),
        compare: Effect.fn("FlowlineDecoder.compare")(function* (tenant, from, to) {
          if (sizeOf(from) + sizeOf(to) <= lightBytes) return JSON.stringify(compared(from, to))
          const answer = yield* (yield* aThread(tenant)).ask({ from, to })
          return answer !== undefined && "comparison" in answer ? answer.comparison : yield* incomparable
        }, Effect.scoped)
      })
    })
  )

/**
 * Decodes large files, and files with many patterns, in threads, so that they do not block the gateway; what takes a
 * few milliseconds is done directly. A document stays in the thread that parsed it. A file that exceeds its limits is
 * refused. Tenants take turns.
 */
export const layer = limited(production)
