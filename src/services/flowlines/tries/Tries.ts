import { Context, Effect, Layer, Result, Stream } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { BadRequest, type Issue } from "../../../errors/BadRequest.ts"
import type { NotFound } from "../../../errors/NotFound.ts"
import type { Overloaded } from "../../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { TooMany } from "../../../errors/TooMany.ts"
import type { FlowlineTest } from "../../../protocol/FlowlineTests.ts"
import type { Values } from "../../../protocol/Parameters.ts"
import type { TrialCase, TrialReport } from "../../../protocol/Trial.ts"
import { LimitRefusals } from "../../limits/LimitRefusals.ts"
import { Engine } from "../../runs/Engine.ts"
import { Provision } from "../../runs/Provision.ts"
import { FairSemaphore } from "../../shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../../shared/process/ObservableMetrics.ts"
import { Settings } from "../../shared/settings/Settings.ts"
import type { TenantId } from "../../shared/Tenant.ts"
import type { FlowlineFile } from "../FlowlineFile.ts"
import { Flowlines, type OpenFlowline } from "../Flowlines.ts"
import type { TestResult, TryAnswer } from "../TryAnswer.ts"
import { placed } from "./Places.ts"
import { samplesOf } from "./TestDifferences.ts"
import { caseOf, type Source, type TryRequest, tryLimits } from "./TryForm.ts"
import { answerOf, testResult } from "./TryReport.ts"

/**
 * Processes of tries: in this gateway, of one tenant, and kept for tenants that have none. Where few runs may run at once,
 * there is little memory for tries, too.
 */
const placesBeside = (runs: number) => {
  const all = Math.min(8, Math.max(2, Math.floor(runs / 2)))
  return { all, each: all < 4 ? 1 : 2, kept: Math.floor(all / 4) }
}
/** Tries of one tenant that may wait. */
const waiting = 8

/** Records of each stream, and bytes, that tests compare. */
const tested = { records: 2000, bytes: 4 * 1024 * 1024 }

interface NumberedTest {
  readonly test: FlowlineTest
  /** Its place in the section. */
  readonly index: number
}

interface NumberedResult {
  readonly result: TestResult
  readonly index: number
}

/** The tests of a flowline by their parameters, of which each takes a run. */
const groupsOf = ({ flowline }: OpenFlowline): Map<string, ReadonlyArray<NumberedTest>> =>
  Map.groupBy(
    (flowline.tests ?? []).map((test, index) => ({ test, index })),
    ({ test }) => JSON.stringify(test.parameters ?? {})
  )

const inOrder = (results: ReadonlyArray<NumberedResult>): ReadonlyArray<TestResult> =>
  results.toSorted((one, other) => one.index - other.index).map(({ result }) => result)

type Refused = BadRequest | Overloaded | StorageUnreachable | TooMany

/** Runs flowlines on samples: nothing is stored, and outputs get nothing. */
export class Tries extends Context.Service<
  Tries,
  {
    /** Tries a flowline with these parameters, and runs its tests. */
    readonly run: (tenant: TenantId, request: TryRequest, given: Values) => Effect.Effect<TryAnswer, Refused | NotFound>
    /** Only validates a flowline: with these parameters, or as it would be saved. The answer has its warnings. */
    readonly check: (
      tenant: TenantId,
      request: TryRequest,
      given: Values | undefined
    ) => Effect.Effect<TryAnswer, BadRequest | Overloaded | StorageUnreachable | NotFound>
    /** Runs the tests of a file; fails with what they found otherwise. */
    readonly verify: (tenant: TenantId, file: FlowlineFile) => Effect.Effect<void, Refused>
  }
>()("flow/flowlines/Tries") {
  static readonly layer = Layer.effect(
    Tries,
    Effect.gen(function* () {
      const flowlines = yield* Flowlines
      const provision = yield* Provision
      const engine = yield* Engine
      const refusals = yield* LimitRefusals
      const places = placesBeside((yield* Settings).runs.all)
      const turns = new FairSemaphore<TooMany>(places)
      yield* observeQueue("tries", turns)
      const inLine = new Map<TenantId, number>()

      /** Does the work in the tenant's next place, unless too many wait for one already. */
      const within = <A, E>(tenant: TenantId, work: Effect.Effect<A, E>): Effect.Effect<A, E | TooMany> =>
        Effect.suspend(() => {
          const used = (inLine.get(tenant) ?? 0) + 1
          const value = places.each + waiting
          if (used > value) {
            const detail = `${value} tries of the tenant "${tenant}" are under way or waiting`
            return refusals.refused(
              tenant,
              new TooMany({ detail, limit: "tries", value, used, key: `tenant:${tenant}`, tenant })
            )
          }
          inLine.set(tenant, used)
          const leave = Effect.sync(() => {
            const left = (inLine.get(tenant) ?? 1) - 1
            if (left === 0) inLine.delete(tenant)
            else inLine.set(tenant, left)
          })
          return Effect.ensuring(turns.within(tenant, work), leave)
        })

      /** The flowline as an execution with these parameters has it, or as it would be saved. */
      const open = Effect.fnUntraced(function* (tenant: TenantId, source: Source, given: Values | undefined) {
        if ("file" in source) return yield* flowlines.open(tenant, source.file, given)
        const { dag } = yield* flowlines.get(tenant, source.id, source.version)
        const file = { name: "saved.json", bytes: new TextEncoder().encode(dag) }
        // Positions in the stored text are not those in the user's file.
        return { ...(yield* flowlines.open(tenant, file, given)), positions: () => Effect.succeed([]) }
      })

      /** Runs cases and takes their reports one by one. The result says why the others were not run. */
      const runCases = Effect.fnUntraced(function* (
        tenant: TenantId,
        { flowline }: OpenFlowline,
        cases: ReadonlyArray<TrialCase>,
        take: (report: TrialReport, at: number) => void
      ) {
        const provisions = yield* provision.of(tenant, flowline)
        if (Result.isFailure(provisions)) return provisions.failure
        const { retry: _, ...settings } = flowline.settings
        const seconds = Math.ceil((2 * tryLimits.millis) / 1000)
        const spec = {
          tenant,
          executionId: `try-${Base64Url.encode(crypto.getRandomValues(new Uint8Array(12)))}`,
          epoch: 1,
          flowline: { ...flowline, tests: [], settings: { ...settings, timeout_seconds: seconds } },
          ...provisions.success,
          trial: { cases, millis: Math.min(tryLimits.millis, (settings.timeout_seconds ?? seconds) * 1000) }
        }
        let at = 0
        let error: string | undefined
        yield* Stream.runForEach(engine.run(spec), (message) => {
          if (message._tag === "Ended") error = message.error
          if (message._tag !== "Tried") return Effect.void
          // Others have a turn between two reports, which may be megabytes.
          return Effect.andThen(
            Effect.sync(() => take(message.report, at++)),
            Effect.yieldNow
          )
        })
        return error
      })

      const caseOfTest = (test: FlowlineTest): TrialCase => ({ samples: samplesOf(test), first: 0, ...tested })

      /** Runs the tests of a group, after the case of a try if it comes with one. */
      const runGroup = Effect.fnUntraced(function* (
        tenant: TenantId,
        opened: OpenFlowline,
        tests: ReadonlyArray<NumberedTest>,
        tried?: TrialCase
      ) {
        const cases = [...(tried === undefined ? [] : [tried]), ...tests.map(({ test }) => caseOfTest(test))]
        const before = cases.length - tests.length
        const results: Array<NumberedResult> = []
        const conclude = (at: number, report: TrialReport | undefined, error?: string) => {
          const { test, index } = tests[at]!
          results.push({ index, result: testResult(opened, test, index, report, error) })
        }
        let first: TrialReport | undefined
        // The reports of tests are not kept: all together they may be hundreds of megabytes.
        const error = yield* runCases(tenant, opened, cases, (report, at) => {
          if (at < before) first = report
          else conclude(at - before, report)
        })
        while (results.length < tests.length) conclude(results.length, undefined, error)
        return { first, error, results }
      })

      /** Runs the tests with their own parameters, those with the same ones together. */
      const runTests = Effect.fnUntraced(function* (
        tenant: TenantId,
        source: Source,
        groups: ReadonlyMap<string, ReadonlyArray<NumberedTest>>
      ) {
        const results: Array<NumberedResult> = []
        for (const tests of groups.values()) {
          const opened = yield* open(tenant, source, tests[0]?.test.parameters ?? {})
          results.push(...(yield* runGroup(tenant, opened, tests)).results)
        }
        return results
      })

      return Tries.of({
        run: Effect.fn("Tries.run")(function* (tenant, request, given) {
          const opened = yield* open(tenant, request.source, given)
          const tried = yield* Effect.fromResult(caseOf(opened.flowline, request))
          const groups = groupsOf(opened)
          const same = groups.get(JSON.stringify(given)) ?? []
          groups.delete(JSON.stringify(given))
          const work = Effect.gen(function* () {
            const group = yield* runGroup(tenant, opened, same, tried)
            return { ...group, results: [...group.results, ...(yield* runTests(tenant, request.source, groups))] }
          })
          const { first, error, results } = yield* within(tenant, work)
          const tests = results.length === 0 ? {} : { tests: inOrder(results) }
          return yield* placed(opened, { ...answerOf(opened, first, error), ...tests })
        }),
        check: Effect.fn("Tries.check")(function* (tenant, { source }, given) {
          const { warnings } = yield* open(tenant, source, given)
          return { outcome: "succeeded", millis: 0, nodes: [], edges: [], unreferenced: [], printed: [], warnings }
        }),
        verify: Effect.fn("Tries.verify")(function* (tenant, file) {
          const opened = yield* flowlines.open(tenant, file)
          const groups = groupsOf(opened)
          if (groups.size === 0) return
          const found = runTests(tenant, { file }, groups).pipe(Effect.catchTag("NotFound", Effect.die))
          const { tests } = yield* placed(opened, { nodes: [], tests: inOrder(yield* within(tenant, found)) })
          const issues = tests.flatMap(({ name, error, differences }): ReadonlyArray<Issue> => {
            const test = `The test ${JSON.stringify(name)} fails: `
            return [
              ...(error === undefined ? [] : [{ part: "file", detail: test + error }]),
              ...differences.map(({ detail, pointer, line, column }) => ({
                part: "file",
                pointer,
                detail: test + detail,
                ...(line === undefined || column === undefined ? {} : { line, column })
              }))
            ]
          })
          if (issues.length > 0) return yield* new BadRequest({ detail: "The tests of the flowline fail", issues })
        })
      })
    })
  )
}
