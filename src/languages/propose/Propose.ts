import * as Result from "effect/Result"
import { compile as compileDissect } from "../dissect/Dissector.ts"
import { compile as compileGrok } from "../grok/GrokMatcher.ts"
import { type NamedElement, named } from "./FieldNaming.ts"
import { dissectPattern, grokPattern } from "./Render.ts"
import { type Element, structureOf } from "./Structure.ts"

/** A field of a proposal, with what it holds in the first lines. */
interface ProposedField {
  readonly name: string
  readonly type: "text" | "int" | "float"
  readonly examples: ReadonlyArray<string>
}

/** A pattern that matches all lines of one shape. */
interface Proposal {
  readonly operator: "grok" | "dissect"
  readonly pattern: string
  readonly fields: ReadonlyArray<ProposedField>
  /** How many of all lines match. */
  readonly matched: number
  /** How much the pattern says of a line: what is recognised counts more than a token, and that more than free text. */
  readonly specificity: number
  /** Microseconds for a line. */
  readonly micros: number
}

/** Proposals, groups of lines that get one of their own, lines of such a group, and examples of a field. */
const most = 40
const mostGroups = 16
const fewest = 2
const mostExamples = 3

const weights: Readonly<Record<Element["kind"], number>> = {
  text: 0,
  blanks: 0,
  recognized: 0,
  token: 2,
  data: 1,
  rest: 0,
  program: 4,
  perhapsProgram: 3
}

/** Dissect checks nothing of what a field holds. */
const specificityOf = (operator: Proposal["operator"], structure: ReadonlyArray<NamedElement>): number =>
  structure.reduce((sum, { element }) => {
    if (element.kind === "text") return sum + Math.min(1, element.text.trim().length / 4)
    if (element.kind === "token" && element.isSame) return sum
    if (element.kind !== "recognized") return sum + weights[element.kind]
    return sum + (operator === "dissect" ? weights.token : element.recognizer.weight)
  }, 0)

const typeOf = ({ element }: NamedElement): ProposedField["type"] =>
  element.kind === "recognized" ? (element.recognizer.type ?? "text") : "text"

type Values = Readonly<Record<string, unknown>>
/** The fields of a line; undefined when it does not match. */
type Match = (line: string) => Values | undefined

const matcherOf = (operator: Proposal["operator"], pattern: string): Match | undefined => {
  const compiled =
    operator === "dissect" ? compileDissect(pattern) : compileGrok([pattern], { bank: "legacy", definitions: {} })
  if (Result.isFailure(compiled)) return undefined
  const { match } = compiled.success
  return (line) => match(line)?.fields
}

/** The fields of all lines, if all match. */
const valuesOf = (match: Match, lines: ReadonlyArray<string>): ReadonlyArray<Values> | undefined => {
  const found: Array<Values> = []
  for (const line of lines) {
    const values = match(line)
    if (values === undefined) return undefined
    found.push(values)
  }
  return found
}

const textOf = (value: unknown): string => (value === undefined ? "" : String(value))

/** Dissect cuts at the first text that fits, which may be another place than where grok does. */
const areSame = (one: ReadonlyArray<Values>, other: ReadonlyArray<Values>): boolean =>
  one.every((values, index) => {
    const others = other[index]!
    return Object.keys(values).every((name) => !(name in others) || textOf(values[name]) === textOf(others[name]))
  })

const examplesOf = (name: string, found: ReadonlyArray<Values>): ReadonlyArray<string> => {
  const texts = found.map((values) => textOf(values[name])).filter((text) => text !== "")
  return [...new Set(texts)].slice(0, mostExamples)
}

/** The patterns for lines of one shape: grok, and dissect where it finds the same fields. */
const proposalsOf = (
  own: ReadonlyArray<string>,
  all: ReadonlyArray<string>,
  deep: boolean
): ReadonlyArray<Proposal> => {
  const structure = named(structureOf(own, deep))
  const types = new Map(structure.map((part) => [part.field ?? "", typeOf(part)]))
  types.set("pid", "int")

  const proposal = (operator: Proposal["operator"], pattern: string, like?: ReadonlyArray<Values>) => {
    const match = matcherOf(operator, pattern)
    const found = match === undefined ? undefined : valuesOf(match, own)
    if (match === undefined || found === undefined) return undefined
    if (like !== undefined && !areSame(like, found)) return undefined
    const began = performance.now()
    const matched = all.filter((line) => match(line) !== undefined).length
    const micros = Math.round(((performance.now() - began) * 100_000) / all.length) / 100
    const fields = [...new Set(found.flatMap((values) => Object.keys(values)))].map((name) => ({
      name,
      type: operator === "dissect" ? ("text" as const) : (types.get(name) ?? "text"),
      examples: examplesOf(name, found)
    }))
    const specificity = specificityOf(operator, structure)
    return { found, proposal: { operator, pattern, fields, matched, specificity, micros } }
  }

  const grok = proposal("grok", grokPattern(structure))
  const text = dissectPattern(structure)
  const dissect = text === undefined ? undefined : proposal("dissect", text, grok?.found)
  return [grok, dissect].flatMap((one) => (one === undefined ? [] : [one.proposal]))
}

/** Lines of one template begin with the same word and have as many tokens. */
const templateOf = (line: string): string => {
  const tokens = line.trim().split(/[ \t]+/)
  return `${tokens.length} ${tokens
    .filter((token) => /^[A-Za-z_.-]+[:,]?$/.test(token))
    .slice(0, 4)
    .join(" ")}`
}

/** The form of the beginning of a line: digits, letters and blanks are alike, punctuation is itself. */
const formOf = (line: string): string =>
  line
    .slice(0, 24)
    .replaceAll(/[A-Za-z]+/g, "a")
    .replaceAll(/\d+/g, "0")
    .slice(0, 8)

const grouped = (
  lines: ReadonlyArray<string>,
  keyOf: (line: string) => string
): ReadonlyArray<ReadonlyArray<string>> => {
  const groups = Map.groupBy(lines, keyOf)
  return [...groups.values()].sort((a, b) => b.length - a.length).slice(0, mostGroups)
}

/** Whether the structure says something of a line besides where it ends. */
const saysMuch = (structure: ReadonlyArray<Element>): boolean =>
  structure.some(({ kind }) => kind === "recognized" || kind === "data" || kind === "program")

/**
 * Proposes grok and dissect patterns for lines: one for what all have in common, and where they have several forms or
 * templates, one for each of the most frequent. What matches more lines comes first, then what says more of them, then
 * what costs less. Empty lines are left out.
 */
export const propose = (given: ReadonlyArray<string>): ReadonlyArray<Proposal> => {
  const lines = given.filter((line) => line.trim() !== "")
  if (lines.length === 0) return []
  const whole = proposalsOf(lines, lines, false)
  const isOneShape = saysMuch(structureOf(lines, false))
  const forms = isOneShape ? [] : grouped(lines, formOf)
  const shapes = isOneShape ? [lines] : forms
  const parts = forms.length < 2 ? [] : forms.flatMap((own) => proposalsOf(own, lines, false))
  const templates = shapes.flatMap((own) => grouped(own, templateOf)).filter(({ length }) => length >= fewest)
  const deep = templates.slice(0, mostGroups).flatMap((own) => proposalsOf(own, lines, true))
  const unique = new Map([...whole, ...parts, ...deep].map((one) => [`${one.operator} ${one.pattern}`, one]))
  return [...unique.values()]
    .sort((a, b) => b.matched - a.matched || b.specificity - a.specificity || a.micros - b.micros)
    .slice(0, most)
}
