import * as Result from "effect/Result"
import { compile as compileDissect } from "../../languages/dissect/Dissector.ts"
import type { CaptureSpan, Explanation, Failure } from "../../languages/Explanation.ts"
import type { Fields } from "../../languages/FieldPath.ts"
import { compile as compileGrok } from "../../languages/grok/GrokMatcher.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import { PatternError, together } from "../../languages/PatternError.ts"
import { patternLines, type Sample } from "./Samples.ts"

export interface TestOptions {
  readonly operator: "grok" | "dissect"
  /** The patterns, one per line, tried in order. Empty lines and lines that start with `#` are skipped. */
  readonly pattern: string
  /** Grok: definitions, one `NAME regex` per line. */
  readonly definitions?: string
  /** Grok: the definitions of the tenant. */
  readonly shared?: TenantDefinitions | undefined
  readonly ecsCompatibility?: "disabled" | "v1"
  /** Dissect: the separator of appended values. */
  readonly appendSeparator?: string
}

interface SampleFailure extends Omit<Failure, "reason"> {
  readonly reason: Failure["reason"] | "timeout"
}

/** The result of one sample. `micros` is the time of the match alone, in microseconds. */
interface SampleResult {
  readonly line: number
  readonly input: string
  readonly matched: boolean
  readonly pattern?: number
  readonly output?: Fields
  readonly captures?: ReadonlyArray<CaptureSpan>
  readonly failure?: SampleFailure
  readonly micros?: number
}

export interface Tester {
  /** Tries one sample. Call it under a time limit: a pattern may take exponential time. */
  readonly examine: (sample: Sample) => SampleResult
  /** The result of a sample whose `examine` was interrupted. */
  readonly timedOut: (sample: Sample, millis: number) => SampleResult
  /** Hints for the samples examined so far. */
  readonly hints: () => ReadonlyArray<string>
}

interface Operator {
  readonly match: (line: string) => unknown
  readonly explain: (line: string) => Explanation
  readonly hints: ReadonlyArray<string>
}

const grok = (patterns: ReadonlyArray<string>, options: TestOptions): Result.Result<Operator, PatternError> =>
  compileGrok(patterns, {
    bank: options.ecsCompatibility === "v1" ? "ecs-v1" : "legacy",
    definitions: options.definitions ?? {},
    shared: options.shared
  })

const dissect = (patterns: ReadonlyArray<string>, options: TestOptions): Result.Result<Operator, PatternError> => {
  const { appendSeparator } = options
  const settings = appendSeparator === undefined ? {} : { appendSeparator }
  const compiled = patterns.map((pattern) => compileDissect(pattern, settings))
  const found = compiled.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
  const faults = compiled.flatMap((one, index) => {
    if (Result.isSuccess(one)) return []
    const { part, detail, line, column, text } = one.failure
    return [new PatternError({ part, detail, line, column, text, pattern: index + 1 })]
  })
  if (faults.length > 0) return Result.fail(together(faults))
  return Result.succeed({
    hints: [],
    match: (line) => found.find((one) => one.match(line) !== undefined),
    explain: (line) => {
      let best: Explanation | undefined
      for (const [index, one] of found.entries()) {
        const explanation = { ...one.explain(line), pattern: index + 1 }
        if (explanation.output !== undefined) return explanation
        if (best === undefined || explanation.failure!.matchedUpTo > best.failure!.matchedUpTo) best = explanation
      }
      return best!
    }
  })
}

const maxHints = 20
const maxPatterns = 1000

/** Compiles the patterns for a test. Errors have positions in the `pattern` or `definitions` text. */
export const prepare = (options: TestOptions): Result.Result<Tester, PatternError> => {
  const lines = patternLines(options.pattern)
  if (lines.length === 0) {
    const detail = "there is no pattern: every line is empty or a comment"
    return Result.fail(new PatternError({ part: "pattern", detail, line: 1, column: 1, text: "", pattern: 1 }))
  }
  if (lines.length > maxPatterns) {
    const { line, text } = lines[maxPatterns]!
    const detail = `more than ${maxPatterns} patterns`
    return Result.fail(new PatternError({ part: "pattern", detail, line, column: 1, text, pattern: maxPatterns + 1 }))
  }
  const patterns = lines.map(({ text }) => text)
  const compiled = options.operator === "grok" ? grok(patterns, options) : dissect(patterns, options)
  if (Result.isSuccess(compiled)) return Result.succeed(make(compiled.success))
  /** The fault with the line of its pattern in the text of all patterns. */
  const placed = ({ part, source, detail, line, column, text, pattern }: PatternError): PatternError => {
    const above = part === "pattern" ? lines[pattern - 1]!.line - 1 : 0
    const origin = source === undefined ? { part } : { part, source }
    return new PatternError({ ...origin, detail, line: above + line, column, text, pattern })
  }
  return Result.fail(together([compiled.failure, ...(compiled.failure.others ?? [])].map(placed)))
}

const make = (operator: Operator): Tester => {
  const seen = new Set<string>()
  const note = (hint: string) => {
    if (seen.size < maxHints) seen.add(hint)
  }
  for (const hint of operator.hints) note(hint)

  /** The line that does not match and is being explained. */
  let missed: number | undefined

  const examine = ({ line, text }: Sample): SampleResult => {
    missed = undefined
    const start = performance.now()
    const found = operator.match(text)
    const micros = Math.round((performance.now() - start) * 1000)
    if (found === undefined) missed = line
    const { failure, output, captures, hints, matched: isMatched, pattern } = operator.explain(text)
    for (const hint of hints) note(hint)
    const base = { line, input: text, matched: isMatched }
    if (failure === undefined) return { ...base, pattern, output: output!, captures, micros }
    if (failure.reason === "no-match") return { ...base, failure, micros }
    return { ...base, pattern, output: output!, captures, failure, micros }
  }
  const timedOut = ({ line, text }: Sample, millis: number): SampleResult => {
    if (missed === line) {
      const detail = `it does not match; where it fails was not found within ${millis} ms`
      return {
        line,
        input: text,
        matched: false,
        failure: { reason: "no-match", matchedUpTo: 0, failedAt: "", detail }
      }
    }
    note("a pattern that runs out of time usually repeats something that can itself repeat, as in (a+)+")
    const detail = `not finished after ${millis} ms`
    const failure = { reason: "timeout" as const, matchedUpTo: 0, failedAt: "", detail }
    return { line, input: text, matched: false, failure }
  }
  return { examine, timedOut, hints: () => [...seen] }
}
