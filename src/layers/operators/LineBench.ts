import { Result } from "effect"
import { maxLength, samplesOf } from "../../services/operators/Batches.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import type { Sample } from "../../services/operators/Samples.ts"
import { prepare, type Tester } from "../../services/operators/Tester.ts"
import type { Bench, ProgramFault } from "./Protocol.ts"
import { type Row, row, summed, tooLong, turnLength } from "./Rows.ts"
import { within } from "./Watchdog.ts"

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
  const { operator, text, definitions, ecsCompatibility, appendSeparator } = program
  if (operator === "flowlet") throw new Error("a program is no pattern")
  const prepared = prepare({ operator, input: "", pattern: text, definitions, ecsCompatibility, appendSeparator })
  if (Result.isSuccess(prepared)) return Result.succeed(bench(prepared.success, program, reached))
  const { part, detail, line, column, text: offending } = prepared.failure
  return Result.fail({ part: part === "definitions" ? part : program.part, detail, line, column, text: offending })
}

const bench = (tester: Tester, { operator, split }: TestProgram, reached: (index: number) => void): Bench => ({
  turn: ({ batch, from, condemned, allowance: { sampleMillis, turnMillis } }) => {
    const all = batch === undefined ? [] : samplesOf(batch, split)
    const rows: Array<Row> = []
    const start = performance.now()
    const end = start + turnMillis
    const limit = maxLength(operator, split)
    let next = from
    let timeouts = 0
    let length = 0
    let began = 0
    const timedOut = (sample: Sample, millis: number) => {
      rows[next - from] = row(tester.timedOut(sample, millis))
      timeouts++
      next++
    }
    const examine = () => {
      while (next < all.length && length < turnLength && performance.now() < end && !condemned.includes(next)) {
        const sample = all[next]!
        began = performance.now()
        reached(next)
        const tried = batch!.cut || sample.text.length > limit ? tooLong(sample, limit) : examined(tester, sample)
        rows[next - from] = tried
        length += tried.json.length
        next++
      }
    }
    do {
      const first = next
      const sample = all[next]
      if (sample === undefined) break
      if (sampleMillis === 0 || condemned.includes(next)) timedOut(sample, sampleMillis)
      // A sample that was cut off because of those before it is tried again with all of its time.
      else if (!within(sampleMillis, examine) && (next === first || performance.now() - began >= sampleMillis))
        timedOut(all[next]!, sampleMillis)
    } while (next < all.length && length < turnLength && performance.now() < end)
    return {
      ...summed(rows),
      samples: all.length,
      next,
      timeouts,
      millis: performance.now() - start,
      hints: tester.summary().hints
    }
  }
})
