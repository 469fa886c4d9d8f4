import * as Result from "effect/Result"
import { processorMillis, within } from "../../drivers/threads/Watchdog.ts"
import { maxLength, samplesOf } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import type { Sample } from "../../services/operators/Samples.ts"
import { prepare, type Tester } from "../../services/operators/Tester.ts"
import type { Bench, Order, ProgramFault, Turn } from "./Protocol.ts"
import { type Row, row, summed, tooLong, turnLength } from "./Rows.ts"

/** How often a sample that got no processor is tried again. */
const maxSpared = 5

const examined = (tester: Tester, sample: Sample): Row => {
  try {
    return row(tester.examine(sample))
  } catch (error) {
    // The backtracking of a regular expression can outgrow the stack.
    if (!(error instanceof RangeError)) throw error
    const { line, text } = sample
    const detail = "the pattern needs more memory for this sample than a test has"
    return row({ line, input: text, matched: false, failure: { reason: "timeout", detail } })
  }
}

/** Grok and dissect on the samples of a batch. `reached` is told each sample before it is tried. */
export const lineBench = (
  program: TestProgram,
  reached: (index: number) => void
): Result.Result<Bench, ProgramFault> => {
  const { operator, text, definitions, shared, ecsCompatibility, appendSeparator } = program
  if (operator === "flowlet") throw new Error("a program is no pattern")
  const given = { definitions, shared, ecsCompatibility, appendSeparator }
  const prepared = prepare({ operator, input: "", pattern: text, ...given })
  if (Result.isSuccess(prepared)) return Result.succeed(new LineBench(prepared.success, program, reached))
  const { part, source, detail, line, column, text: offending } = prepared.failure
  const place = { ...(source === undefined ? {} : { source }), line, column, text: offending }
  return Result.fail({ part: part === "definitions" && source === undefined ? part : program.part, detail, ...place })
}

class LineBench implements Bench {
  readonly #tester: Tester
  readonly #program: TestProgram
  readonly #reached: (index: number) => void
  /** The very first sample also pays for the compilation of the regular expressions. */
  #warm = false
  /** How often the present sample was spared, and whether it has had all of its time now. */
  #spared = 0
  #guilty = false

  constructor(tester: Tester, program: TestProgram, reached: (index: number) => void) {
    this.#tester = tester
    this.#program = program
    this.#reached = reached
  }

  turn({ batch, from, condemned, allowance: { sampleMillis, turnMillis } }: Order): Turn {
    const { operator, split } = this.#program
    const all = batch === undefined ? [] : samplesOf(batch, split)
    const limit = maxLength(operator, split)
    const rows: Array<Row> = []
    const used = processorMillis()
    const end = performance.now() + turnMillis
    let next = from
    let timeouts = 0
    let length = 0
    const goesOn = () => next < all.length && length < turnLength && performance.now() < end
    // Cut off anywhere, this leaves nothing half done: a row is written again when its sample is tried again.
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
      if (!doomed && (this.#tried(sampleMillis, examine) || next > first)) {
        this.#warm = true
        this.#spared = 0
      } else if (doomed || this.#guilty) {
        rows[next - from] = row(this.#tester.timedOut(all[next]!, sampleMillis))
        this.#guilty = false
        timeouts++
        next++
      }
    }
    const { hints } = this.#tester.summary()
    return { ...summed(rows), samples: all.length, next, timeouts, millis: processorMillis() - used, hints }
  }

  #tried(millis: number, examine: () => void): boolean {
    const used = processorMillis()
    if (within(millis, examine)) return true
    // It may have been cut off because others had the processor: then it is tried again from the start.
    const had = processorMillis() - used > millis / 2 && (this.#warm || this.#spared > 0)
    this.#guilty = had || this.#spared++ >= maxSpared
    return false
  }
}
