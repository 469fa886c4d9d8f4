import * as Result from "effect/Result"
import { guard } from "../../drivers/threads/TimeLimit.ts"
import { type Guard, hadItsTime } from "../../languages/Guard.ts"
import type { PatternError } from "../../languages/PatternError.ts"
import { maxLength, samplesOf } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import type { Sample } from "../../services/operators/Samples.ts"
import { prepare, type Tester } from "../../services/operators/Tester.ts"
import { type Row, row, summed, tooLong, turnLength } from "./Rows.ts"
import type { Order, ProgramFault, SampleTester, Turn } from "./WorkerMessages.ts"

const examined = (tester: Tester, sample: Sample): Row => {
  try {
    return row(tester.examine(sample))
  } catch (error) {
    // The backtracking of a regular expression can overflow the stack.
    if (!(error instanceof RangeError)) throw error
    const { line, text } = sample
    const detail = "the pattern needs more memory for this sample than a test has"
    return row({ line, input: text, matched: false, failure: { reason: "timeout", detail } })
  }
}

/** Runs grok or dissect on the samples of a batch. `reached` is called with each sample before it is tried. */
export const lineTester = (
  program: TestProgram,
  reached: (index: number) => void,
  watch: Guard = guard
): Result.Result<SampleTester, ProgramFault> => {
  const { operator, text, definitions, shared, ecsCompatibility, appendSeparator } = program
  if (operator === "flowlet" || operator === "propose") throw new Error("a program is no pattern")
  const given = { definitions, shared, ecsCompatibility, appendSeparator }
  const prepared = prepare({ operator, pattern: text, ...given })
  if (Result.isSuccess(prepared)) return Result.succeed(new LineTester(prepared.success, program, reached, watch))
  const faultOf = ({ part, source, detail, line, column, text }: PatternError) => ({
    part: part === "definitions" && source === undefined ? part : program.part,
    ...(source === undefined ? {} : { source }),
    ...{ detail, line, column, text }
  })
  const { others = [] } = prepared.failure
  const first = faultOf(prepared.failure)
  return Result.fail(others.length === 0 ? first : { ...first, issues: [first, ...others.map(faultOf)] })
}

class LineTester implements SampleTester {
  readonly #tester: Tester
  readonly #program: TestProgram
  readonly #reached: (index: number) => void
  readonly #watch: Guard
  /** The first sample takes longer: the regular expressions are compiled on first use. */
  #warm = false
  /** The line that was interrupted last, how often it has been retried, and whether it has had its full time. */
  #line: number | undefined
  #spared = 0
  #guilty = false

  constructor(tester: Tester, program: TestProgram, reached: (index: number) => void, watch: Guard) {
    this.#tester = tester
    this.#program = program
    this.#reached = reached
    this.#watch = watch
  }

  turn({ batch, from, condemned, allowance: { sampleMillis, turnMillis } }: Order): Turn {
    const { operator, split } = this.#program
    const { processorMillis } = this.#watch
    const all = batch === undefined ? [] : samplesOf(batch, split)
    const limit = maxLength(operator, split)
    const rows: Array<Row> = []
    const used = processorMillis()
    const end = performance.now() + turnMillis
    let next = from
    let timeouts = 0
    let length = 0
    const goesOn = () => next < all.length && length < turnLength && performance.now() < end
    // Safe to interrupt at any point: a row is written again when its sample is tried again.
    const examine = () => {
      while (goesOn() && !condemned.includes(next)) {
        const sample = all[next]!
        this.#reached(next)
        const long = batch!.cut || sample.text.length > limit
        const made = long ? tooLong(sample, limit) : examined(this.#tester, sample)
        rows[next - from] = made
        length += made.json.length
        next++
      }
    }
    while (goesOn()) {
      const first = next
      const doomed = sampleMillis === 0 || condemned.includes(next)
      // Another worker may have continued the test meanwhile.
      if (all[next]!.line !== this.#line) this.#spared = 0
      if (!doomed && (this.#tried(sampleMillis, examine) || next > first)) {
        this.#warm = true
      } else if (doomed || this.#guilty) {
        rows[next - from] = row(this.#tester.timedOut(all[next]!, sampleMillis))
        this.#guilty = false
        timeouts++
        next++
      } else {
        // Other threads had the processor: the sample is tried again from the start, with twice the time.
        this.#line = all[next]!.line
        this.#spared++
      }
    }
    const millis = processorMillis() - used
    return { ...summed(rows), samples: all.length, next, timeouts, millis, hints: this.#tester.hints() }
  }

  #tried(millis: number, examine: () => void): boolean {
    const { processorMillis, within } = this.#watch
    const used = processorMillis()
    if (within(millis * 2 ** this.#spared, examine)) return true
    this.#guilty = hadItsTime(processorMillis() - used, millis) && (this.#warm || this.#spared > 0)
    return false
  }
}
