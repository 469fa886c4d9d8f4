import type { ConversionFailure } from "../../Coercion.ts"
import type { CaptureSpan, Explanation } from "../../Explanation.ts"
import type { Expression } from "../Expression.ts"
import { isAnchored, type Progress, progressOf } from "./Progress.ts"

const excerpt = (line: string, from: number): string => {
  const rest = line.slice(from, from + 40)
  return rest === "" ? "the end of the line" : JSON.stringify(rest) + (from + 40 < line.length ? "…" : "")
}

/** Lengths of the texts of an explanation. */
const maxPart = 80
const maxFailedAt = 200
const maxTrail = 4

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

const nothing: Progress = { matchedUpTo: 0, failedAt: "", inside: [], parts: 0 }

const described = (line: string, pattern: string, progress: Progress) => {
  const { matchedUpTo, failedAt: innermost, inside, alternatives, none } = progress
  // Name the failing part in the tested pattern itself. If the pattern is a single reference, that says nothing, so
  // descend into it.
  const failedAt = shortened(inside.length > 0 && inside[0] !== pattern ? inside[0]! : innermost, maxFailedAt)
  const trail = inside.slice(-maxTrail).map((reference) => shortened(reference, maxPart))
  const where = inside.length === 0 ? "" : ` (in ${inside.length > maxTrail ? "… > " : ""}${trail.join(" > ")})`
  const short = shortened(innermost, maxPart)
  // Blanks would not be seen.
  const part = /^\s|\s$/.test(short) ? JSON.stringify(short) : short
  const what =
    none === undefined
      ? `${part}${where} does not match`
      : `none of the ${none} alternatives in ${part}${where} matches`
  const among = alternatives === undefined ? "" : `; of ${alternatives} alternatives it came furthest`
  return { matchedUpTo, failedAt, detail: `${what} at offset ${matchedUpTo}: ${excerpt(line, matchedUpTo)}${among}` }
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
  let progress: ReadonlyArray<ReturnType<typeof progressOf>> | undefined
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
    progress ??= expressions.map(({ tree, text }) => progressOf(tree, text, dotall))
    progress.forEach((how, index) => {
      const reached = how(line)
      if (best !== undefined && reached.matchedUpTo <= best.matchedUpTo) return
      best = reached
      pattern = index + 1
    })
    const { failedAt, detail, matchedUpTo } = described(line, expressions[pattern - 1]!.text, best ?? nothing)
    const failure = { reason: "no-match" as const, matchedUpTo, failedAt, detail }
    return { matched: false, pattern, output: undefined, captures: [], failure, hints: missHints }
  }
}
