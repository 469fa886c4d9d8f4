import { Predicate, Result } from "effect"
import { guard } from "../../drivers/threads/TimeLimit.ts"
import type { Guest } from "../../languages/flowlet/Guest.ts"
import { matching } from "../../languages/flowlet/Matching.ts"
import type { Outcome, ScriptFault } from "../../languages/flowlet/Outcome.ts"
import { open } from "../../languages/flowlet/ProgramSandbox.ts"
import type { Guard } from "../../languages/Guard.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { maxLength, samplesOf } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import type { SampleResult } from "../../services/operators/OperatorTest.ts"
import type { Sample } from "../../services/operators/Samples.ts"
import { type Row, row, summed, tooLong, turnLength } from "./Rows.ts"
import type { Order, ProgramFault, SampleTester, Turn } from "./WorkerMessages.ts"

/** A sample that is a JSON object becomes the event; any other text becomes its `message`. */
const eventOf = ({ text }: Sample): unknown => {
  if (/^\s*\{/.test(text)) {
    try {
      const value = parseJson(text)
      if (Predicate.isObject(value)) return value
    } catch {
      // Only looked like JSON.
    }
  }
  return { message: text }
}

const failureOf = (outcome: Outcome, millis: number): NonNullable<SampleResult["failure"]> => {
  if (outcome.error !== undefined) return { reason: "script", detail: outcome.error.message, ...outcome.error }
  if (outcome.timeout)
    return { reason: "timeout", detail: millis > 0 ? `not finished after ${millis} ms` : "not tried" }
  return { reason: "dropped", detail: "the program returned no event" }
}

const rowOf = ({ line, text }: Sample, outcome: Outcome, millis: number): Row => {
  const { output, printed, micros } = outcome
  return row({
    line,
    input: text,
    matched: output !== undefined,
    ...(output === undefined ? { failure: failureOf(outcome, millis) } : { output }),
    ...(printed === undefined ? {} : { printed }),
    ...(micros === undefined ? {} : { micros })
  })
}

/** Runs the program of a flowlet test in a sandbox, which is recreated when an event has broken it. */
export const programTester = async (
  program: TestProgram,
  reached: (index: number) => void,
  watch: Guard = guard
): Promise<Result.Result<SampleTester, ProgramFault>> => {
  const match = () => matching(program.definitions, program.ecsCompatibility, program.shared)
  const start = () => open(program.text, match(), { clock: watch.processorMillis })
  const started = await start()
  if (Result.isSuccess(started)) {
    return Result.succeed(new ProgramTester(program, started.success, start, reached, watch))
  }
  const { message, line = 1, column = 1 } = started.failure
  const text = program.text.split("\n")[line - 1]?.trim() ?? ""
  return Result.fail({ part: program.part, detail: message, line, column, text: text.slice(0, 200) })
}

class ProgramTester implements SampleTester {
  readonly #program: TestProgram
  readonly #start: () => Promise<Result.Result<Guest, ScriptFault>>
  readonly #reached: (index: number) => void
  readonly #watch: Guard
  #guest: Guest | undefined
  /** The outcomes of samples that broke the sandbox, by line. They are not tried again. */
  readonly #broken = new Map<number, Outcome>()
  /** How often in a row the sandbox was interrupted because other threads had the processor. */
  #spared = 0

  constructor(
    program: TestProgram,
    guest: Guest,
    start: () => Promise<Result.Result<Guest, ScriptFault>>,
    reached: (index: number) => void,
    watch: Guard
  ) {
    this.#program = program
    this.#guest = guest
    this.#start = start
    this.#reached = reached
    this.#watch = watch
  }

  async turn({ batch, from, condemned, allowance: { sampleMillis, turnMillis } }: Order): Promise<Turn> {
    const { operator, split } = this.#program
    const { processorMillis } = this.#watch
    const limit = maxLength(operator, split)
    const all = batch === undefined ? [] : samplesOf(batch, split)
    const start = processorMillis()
    const end = performance.now() + turnMillis
    const rows: Array<Row> = []
    let next = from
    let timeouts = 0
    let length = 0
    const settled = (index: number): Outcome | undefined =>
      sampleMillis === 0 || condemned.includes(index) ? { timeout: true } : this.#broken.get(all[index]!.line)
    const put = (made: Row) => {
      rows.push(made)
      length += made.json.length
      next++
    }
    while (next < all.length && performance.now() < end && length < turnLength) {
      const sample = all[next]!
      const outcome = settled(next)
      if (batch!.cut || sample.text.length > limit) put(tooLong(sample, limit))
      else if (outcome !== undefined) {
        if (outcome.timeout) timeouts++
        put(rowOf(sample, outcome, sampleMillis))
      } else {
        let stop = next + 1
        while (
          stop < all.length &&
          stop < next + 100 &&
          all[stop]!.text.length <= limit &&
          settled(stop) === undefined
        ) {
          stop++
        }
        const samples = all.slice(next, stop)
        for (const [index, made] of (await this.#run(samples, next, sampleMillis, end)).entries()) {
          if (made.timeout) timeouts++
          put(rowOf(samples[index]!, made, sampleMillis))
        }
      }
    }
    return { ...summed(rows), samples: all.length, next, timeouts, millis: processorMillis() - start, hints: [] }
  }

  /**
   * The outcomes of the first samples; undefined when one of them broke the sandbox. If the sample was at fault, that
   * is recorded.
   */
  async #run(
    samples: ReadonlyArray<Sample>,
    from: number,
    millis: number,
    end: number
  ): Promise<ReadonlyArray<Outcome>> {
    this.#guest ??= Result.getOrThrowWith(await this.#start(), (fault) => new Error(fault.message))
    const guest = this.#guest
    let outcomes: ReadonlyArray<Outcome> = []
    let broken: Outcome | undefined
    this.#reached(from)
    try {
      const left = Math.max(0, end - performance.now())
      // The sandbox interrupts loops itself. The watchdog covers what it cannot interrupt, such as a regular expression
      // in a helper.
      const finished = this.#watch.within((left + millis * 4) * 2 ** this.#spared, () => {
        outcomes = guest.run(samples.map(eventOf), millis, end)
      })
      if (!finished && !guest.isLate()) {
        this.#spared++
        this.#guest = undefined
        return []
      }
      this.#spared = 0
      if (!finished) broken = { timeout: true }
    } catch (error) {
      // The recursion overflowed the thread's stack, or the program broke the sandbox in another way.
      broken = {
        error: {
          message: error instanceof RangeError ? "InternalError: stack overflow" : "InternalError: out of memory"
        }
      }
    }
    if (broken === undefined) return outcomes
    this.#guest = undefined
    const guilty = samples[Math.max(0, Math.min(guest.at(), samples.length - 1))]!
    this.#broken.set(guilty.line, broken)
    return []
  }
}
