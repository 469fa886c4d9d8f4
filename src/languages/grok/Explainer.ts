import type { ConversionFailure } from "../Coercion.ts"
import type { CaptureSpan, Explanation } from "../Explanation.ts"
import type { Expression } from "./Expression.ts"
import { isAnchored, type Progress, progressOf } from "./Progress.ts"

const excerpt = (line: string, from: number): string => {
  const rest = line.slice(from, from + 40)
  return rest === "" ? "the end of the line" : JSON.stringify(rest) + (from + 40 < line.length ? "…" : "")
}

const spans = (expression: Expression, line: string): ReadonlyArray<CaptureSpan> => {
  const found = expression.exec(line, true)
  if (found === undefined) return []
  return expression.captures.flatMap(({ name, syntax }, index) => {
    const number = found.numbers[index]!
    const value = found.match[number]
    const range = found.match.indices?.[number]
    if (value === undefined || value === "" || range === undefined) return []
    const [start, end] = range
    return [syntax === undefined ? { name, value, start, end } : { name, syntax, value, start, end }]
  })
}

/** Hints about a pattern that need no line. */
export const patternHints = ({ captures, leaves, hints }: Expression): ReadonlyArray<string> => {
  const repeated = leaves.filter(({ slots }) => slots.length > 1).map(({ name }) => name)
  return [
    ...hints,
    ...(captures.length === 0 ? ["the pattern captures nothing: name a field, as in %{WORD:field}"] : []),
    ...repeated.map((name) => `field "${name}" is captured in several places: several values become an array`)
  ]
}

const conversionFailure = (expression: Expression, failures: ReadonlyArray<ConversionFailure>, end: number) => {
  const { field, detail } = failures[0]!
  const capture = expression.captures.find(({ name }) => name === field)
  const failedAt = capture?.syntax === undefined ? field : `%{${capture.syntax}:${field}:${capture.type}}`
  return { reason: "conversion" as const, matchedUpTo: end, failedAt, detail }
}

/** Makes the function that explains one line: the captures of a match, or how far the best pattern matched. */
export const explainer = (expressions: ReadonlyArray<Expression>, dotall: boolean): ((line: string) => Explanation) => {
  const missHints = expressions.every(({ tree }) => isAnchored(tree.root))
    ? []
    : ["the pattern is not anchored: a leading ^ lets lines that do not match fail faster"]
  const progress = expressions.map(({ tree, text }) => progressOf(tree, text, dotall))
  return (line) => {
    for (let index = 0; index < expressions.length; index++) {
      const expression = expressions[index]!
      const found = expression.match(line)
      if (found === undefined) continue
      const raw = expression.exec(line, false)!.match
      const end = raw.index + raw[0].length
      const hints = [
        ...(raw.index > 0 ? ["text before the match is skipped: the pattern is not anchored with ^"] : []),
        ...(end < line.length ? ["text after the match is ignored: the pattern does not end with $"] : [])
      ]
      const failed = found.failures.length > 0
      return {
        matched: !failed,
        pattern: index + 1,
        output: found.fields,
        captures: spans(expression, line),
        failure: failed ? conversionFailure(expression, found.failures, end) : undefined,
        hints
      }
    }
    let best: Progress | undefined
    let pattern = 1
    progress.forEach((how, index) => {
      const reached = how(line)
      if (best !== undefined && reached.matchedUpTo <= best.matchedUpTo) return
      best = reached
      pattern = index + 1
    })
    const { matchedUpTo, failedAt: innermost, inside } = best ?? { matchedUpTo: 0, failedAt: "", inside: [] }
    // Name the failing part in the tested pattern itself. If the pattern is a single reference, that says nothing, so
    // descend into it.
    const failedAt = inside.length > 0 && inside[0] !== expressions[pattern - 1]!.text ? inside[0]! : innermost
    const where = inside.length === 0 ? "" : ` (in ${inside.join(" > ")})`
    const detail = `${innermost}${where} does not match at offset ${matchedUpTo}: ${excerpt(line, matchedUpTo)}`
    const failure = { reason: "no-match" as const, matchedUpTo, failedAt, detail }
    return { matched: false, pattern, output: undefined, captures: [], failure, hints: missHints }
  }
}
