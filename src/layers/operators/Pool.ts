import { availableParallelism } from "node:os"
import { Context, Effect, Layer } from "effect"
import { InvalidOperator } from "../../errors/InvalidOperator.ts"
import type { SampleBatch } from "../../services/operators/Batches.ts"
import { OperatorPool, type TestedBatch, type TestProgram } from "../../services/operators/OperatorPool.ts"
import { Crew, type Seat } from "./Crew.ts"
import type { Turn } from "./Protocol.ts"

/**
 * All in milliseconds but `workers` and `memoryMib`: of the worker's processor time but for `turnMillis` and
 * `leisureMillis`, which pass by the clock.
 */
export interface PoolLimits {
  readonly workers: number
  /** Heap of one worker. */
  readonly memoryMib: number
  /** One sample. */
  readonly sampleMillis: number
  /** One sample of a test that has had {@link patience} samples run out of time. */
  readonly hurriedMillis: number
  readonly patience: number
  /** One turn of a test, before the next test has its own. */
  readonly turnMillis: number
  /** What the turns of one test may take beyond {@link sparedMillis} a sample: samples after that are not tried. */
  readonly testMillis: number
  /** What a sample takes when nothing is wrong, with much to spare. */
  readonly sparedMillis: number
  /** What a worker may be late before it is killed. */
  readonly graceMillis: number
  /** Compiling a program. */
  readonly compileMillis: number
  /** What a worker is kept without a test: starting one takes less than a second, keeping it tens of MiB. */
  readonly leisureMillis: number
}

export const OperatorPoolLimits = Context.Reference<PoolLimits>("flow/operators/OperatorPoolLimits", {
  defaultValue: () => ({
    workers: Math.max(1, Math.min(4, availableParallelism() - 1)),
    memoryMib: 256,
    sampleMillis: 200,
    hurriedMillis: 20,
    patience: 10,
    turnMillis: 250,
    testMillis: 20_000,
    sparedMillis: 1,
    graceMillis: 5000,
    compileMillis: 5000,
    leisureMillis: 30_000
  })
})

/** The turns of one test, and what it has used up so far. */
class Test {
  readonly #crew: Crew
  readonly #seat: Seat
  readonly #limits: PoolLimits
  #timeouts = 0
  #spent = 0

  constructor(crew: Crew, seat: Seat, limits: PoolLimits) {
    this.#crew = crew
    this.#seat = seat
    this.#limits = limits
  }

  #sampleMillis(): number {
    const { sampleMillis, hurriedMillis, patience, testMillis } = this.#limits
    if (this.#spent >= testMillis) return 0
    return this.#timeouts < patience ? sampleMillis : Math.min(hurriedMillis, sampleMillis)
  }

  async compile(): Promise<InvalidOperator | undefined> {
    const order = { batch: undefined, from: 0, condemned: [], allowance: { sampleMillis: 0, turnMillis: 0 } }
    const reply = await this.#crew.turn(this.#seat, order, 0)
    if ("turn" in reply) return undefined
    if ("fault" in reply) return new InvalidOperator(reply.fault)
    needed(reply.lost)
    const { part } = this.#seat.program
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
      const reply = await this.#crew.turn(this.#seat, order, turnMillis + sampleMillis + graceMillis)
      // A fault was found when the program was compiled for the first time.
      if ("fault" in reply) throw new Error(reply.fault.detail)
      if ("lost" in reply) {
        if (condemned.includes(needed(reply.lost))) throw new Error("a worker dies whatever it is given")
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
  if (lost === undefined) throw new Error("a worker of the operator tests does not start")
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

/** Tests on a few worker threads. */
export const layer = Layer.effect(
  OperatorPool,
  Effect.gen(function* () {
    const limits = yield* OperatorPoolLimits
    const crew = yield* Effect.acquireRelease(
      Effect.sync(() => new Crew(limits.workers, limits.memoryMib, limits.compileMillis, limits.leisureMillis)),
      (crew) => Effect.promise(() => crew.end())
    )
    const enter = (program: TestProgram) =>
      Effect.acquireRelease(
        Effect.sync(() => crew.enter(program, program.operator === "flowlet")),
        (seat) => Effect.sync(() => crew.leave(seat))
      )
    return OperatorPool.of({
      open: Effect.fn("OperatorPool.open")(function* (program) {
        const test = new Test(crew, yield* enter(program), limits)
        const fault = yield* Effect.promise(() => test.compile())
        if (fault !== undefined) return yield* fault
        return { run: (batch) => Effect.promise(() => test.run(batch)) }
      })
    })
  })
)
