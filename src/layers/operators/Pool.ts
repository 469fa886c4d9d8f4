import { availableParallelism } from "node:os"
import { Context, Effect, Layer } from "effect"
import { availableMemory, usualWork } from "../../drivers/UsualWork.ts"
import { InvalidOperator } from "../../errors/InvalidOperator.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import type { SampleBatch } from "../../services/operators/Batches.ts"
import { OperatorPool, type TestedBatch, type TestProgram } from "../../services/operators/OperatorPool.ts"
import { observeQueue } from "../../services/shared/process/ObservableMetrics.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"
import { TestWorker } from "./TestWorker.ts"
import { type ScheduledTest, TurnScheduler } from "./TurnScheduler.ts"
import type { Turn } from "./WorkerMessages.ts"

/**
 * Limits of the pool. All times are milliseconds of the worker's processor time, except `turnMillis` and
 * `idleMillis`, which are wall-clock time.
 */
export interface PoolLimits {
  readonly workers: number
  /** Heap limit of one worker in MiB. */
  readonly memoryMib: number
  /** Limit for one sample. */
  readonly sampleMillis: number
  /** Limit for one sample after {@link patience} samples of the test have timed out. */
  readonly hurriedMillis: number
  readonly patience: number
  /** Limit for one turn, after which the next test runs. */
  readonly turnMillis: number
  /** Limit for all turns of one test beyond {@link sparedMillis} per sample. The remaining samples are not tried. */
  readonly testMillis: number
  /** Generous time for a normal sample. */
  readonly sparedMillis: number
  /** Time that a worker may exceed its limit before it is killed. */
  readonly graceMillis: number
  /** Limit for compiling a program. */
  readonly compileMillis: number
  /** Time that an idle worker is kept. Starting one takes less than a second; keeping it takes tens of MiB. */
  readonly idleMillis: number
}

export const OperatorPoolLimits = Context.Reference<PoolLimits>("flow/operators/OperatorPoolLimits", {
  defaultValue: () => ({
    workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
    memoryMib: Math.floor(usualWork(availableMemory()).testBytes / 2 ** 20),
    sampleMillis: 200,
    hurriedMillis: 20,
    patience: 10,
    turnMillis: 250,
    testMillis: 20_000,
    sparedMillis: 1,
    graceMillis: 5000,
    compileMillis: 5000,
    idleMillis: 30_000
  })
})

/** One test: its turns, and the time that it has used so far. */
class Test {
  readonly #scheduler: TurnScheduler
  readonly #test: ScheduledTest
  readonly #limits: PoolLimits
  #timeouts = 0
  #spent = 0

  constructor(scheduler: TurnScheduler, test: ScheduledTest, limits: PoolLimits) {
    this.#scheduler = scheduler
    this.#test = test
    this.#limits = limits
  }

  #sampleMillis(): number {
    const { sampleMillis, hurriedMillis, patience, testMillis } = this.#limits
    if (this.#spent >= testMillis) return 0
    return this.#timeouts < patience ? sampleMillis : Math.min(hurriedMillis, sampleMillis)
  }

  async compile(): Promise<InvalidOperator | Overloaded | undefined> {
    const order = { batch: undefined, from: 0, condemned: [], allowance: { sampleMillis: 0, turnMillis: 0 } }
    const reply = await this.#scheduler.turn(this.#test, order, 0)
    if ("turn" in reply) return undefined
    if ("fault" in reply) return new InvalidOperator(reply.fault)
    if (reply.lost === undefined) return new Overloaded({ detail: "The gateway cannot start another thread now" })
    const { part } = this.#test.program
    return new InvalidOperator({ part, detail: "compiling takes more time or memory than a test has" })
  }

  async run(batch: SampleBatch): Promise<TestedBatch> {
    const { turnMillis, graceMillis, sparedMillis } = this.#limits
    const turns: Array<Turn> = []
    const condemned: Array<number> = []
    let next = 0
    for (;;) {
      const sampleMillis = this.#sampleMillis()
      const order = { batch, from: next, condemned, allowance: { sampleMillis, turnMillis } }
      const reply = await this.#scheduler.turn(this.#test, order, turnMillis + sampleMillis + graceMillis)
      // Faults of a program were already reported by its first compilation.
      if ("fault" in reply) throw new Error(reply.fault.detail)
      if ("lost" in reply) {
        if (condemned.includes(needed(reply.lost))) throw new Error("workers die even without a sample")
        condemned.push(needed(reply.lost))
        this.#spent += turnMillis
        continue
      }
      turns.push(reply.turn)
      this.#spent += Math.max(0, reply.turn.millis - (reply.turn.next - next) * sparedMillis)
      next = reply.turn.next
      this.#timeouts += reply.turn.timeouts
      if (next >= reply.turn.samples) return joined(turns)
    }
  }
}

const needed = (lost: number | undefined): number => {
  if (lost === undefined) throw new Error("a worker thread for operator tests does not start")
  return lost
}

const joined = (turns: ReadonlyArray<Turn>): TestedBatch => {
  const pieces = turns.map(({ json }) => json)
  return {
    json: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces),
    total: turns[0]?.samples ?? 0,
    matched: turns.reduce((count, turn) => count + turn.matched, 0),
    hints: [...new Set(turns.flatMap(({ hints }) => hints))]
  }
}

/** Runs tests on a small number of worker threads. */
export const layer = Layer.effect(
  OperatorPool,
  Effect.gen(function* () {
    const limits = yield* OperatorPoolLimits
    const scheduler = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const start = (ended: () => void) => new TestWorker(limits.memoryMib, limits.idleMillis, ended)
        return new TurnScheduler(limits.workers, limits.compileMillis, start)
      }),
      (scheduler) => Effect.promise(() => scheduler.end())
    )
    yield* observeQueue("operator_turns", scheduler)
    const enter = (program: TestProgram, tenant: TenantId) =>
      Effect.acquireRelease(
        Effect.sync(() => scheduler.enter(tenant, program, program.operator === "flowlet")),
        (test) => Effect.sync(() => scheduler.leave(test))
      )
    return OperatorPool.of({
      open: Effect.fn("OperatorPool.open")(function* (program, tenant) {
        const test = new Test(scheduler, yield* enter(program, tenant), limits)
        const fault = yield* Effect.promise(() => test.compile())
        if (fault !== undefined) return yield* fault
        return { run: (batch) => Effect.promise(() => test.run(batch)) }
      })
    })
  })
)
