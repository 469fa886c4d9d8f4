import * as Result from "effect/Result"
import { BoundedMap } from "../BoundedMap.ts"
import type { Explanation } from "../Explanation.ts"
import { PatternError, together } from "../PatternError.ts"
import { bank } from "./banks/Banks.ts"
import { type Expression, type ExpressionSettings, expression } from "./Expression.ts"
import { explainer, patternHints } from "./explain/Explainer.ts"
import type { GrokMatch } from "./fields/Recipe.ts"
import { linesMatcher } from "./LinesMatcher.ts"
import { type Definition, readDefinitions } from "./syntax/Definitions.ts"
import { expand, type Vocabulary } from "./syntax/Expand.ts"
import { definitionsOf, noDefinitions, type TenantDefinitions } from "./TenantDefinitions.ts"

/** Maximum number of faulty patterns after which no further ones are compiled. */
const maxFaulty = 20
/** Maximum number of definitions that are checked; a request may contain thousands. */
const maxChecked = 500

/**
 * Warnings about broken definitions that no pattern uses. A broken definition that a pattern uses already fails the
 * compilation.
 */
const brokenDefinitions = (
  own: ReadonlyMap<string, Definition>,
  vocabulary: Vocabulary,
  lenient: boolean
): ReadonlyArray<string> =>
  [...own].slice(0, maxChecked).flatMap(([name, definition]) => {
    try {
      expand({ ...definition, text: definition.regex, pattern: 1 }, vocabulary, { namedCapturesOnly: true, lenient })
      return []
    } catch (error) {
      if (error instanceof PatternError) return [`the unused definition "${name}" is broken: ${error.message}`]
      throw error
    }
  })

export type { GrokMatch } from "./fields/Recipe.ts"

export interface GrokOptions {
  /** Built-in pattern set: `legacy` field names, ECS v1 field names, or none. */
  readonly bank: "legacy" | "ecs-v1" | "none"
  /**
   * Additional patterns, as `NAME regex` lines or a record. They replace built-in patterns of the same name everywhere.
   */
  readonly definitions?: string | Readonly<Record<string, string>>
  /** The definitions of the tenant. They override built-in patterns and are overridden by {@link definitions}. */
  readonly shared?: TenantDefinitions | undefined
  /** False: `%{WORD}` without a field is captured as `WORD`. Default true. */
  readonly namedCapturesOnly?: boolean
  /** Keep empty captures (as "") and unset groups (as null). Default false. */
  readonly keepEmptyCaptures?: boolean
  /**
   * Decides the default of `dotall`, and whether an invalid `%{…}` is an error (Logstash) or literal text
   * (Elasticsearch).
   */
  readonly dialect?: "logstash" | "elasticsearch"
  /** The dot matches newlines. Default true, as in Logstash; false in the Elasticsearch dialect. */
  readonly dotall?: boolean
}

export interface Grok {
  readonly expressions: ReadonlyArray<Expression>
  /** The fields of the first pattern that matches anywhere in the line. */
  readonly match: (line: string) => GrokMatch | undefined
  /** Matches many lines; a third faster per line than `match`. */
  readonly matchAll: (lines: ReadonlyArray<string>) => ReadonlyArray<GrokMatch | undefined>
  /** Explains a line: where the captures are, or how far the best pattern matched. Much slower than `match`. */
  readonly explain: (line: string) => Explanation
  /** Hints about the patterns that need no line. */
  readonly hints: ReadonlyArray<string>
}

const emptyBank: ReadonlyMap<string, Definition> = new Map()
const banks = new Map<string, ReadonlyMap<string, Definition>>()

const builtIn = (set: GrokOptions["bank"]): ReadonlyMap<string, Definition> => {
  if (set === "none") return emptyBank
  const known = banks.get(set)
  if (known !== undefined) return known
  const definitions = new Map<string, Definition>()
  for (const [name, regex] of bank(set)) definitions.set(name, { regex, part: "bank", line: 1, column: 1 })
  banks.set(set, definitions)
  return definitions
}

const maxKeyLength = 1 << 14
const kept = new BoundedMap<string, Grok>(128)

/**
 * Compiles grok patterns, which are tried in order. Only reachable definitions are expanded and checked. The latest
 * compilations are cached, because compiling takes milliseconds and the same patterns are used repeatedly. @see
 * https://www.elastic.co/docs/reference/logstash/plugins/plugins-filters-grok
 */
export const compile = (patterns: ReadonlyArray<string>, options: GrokOptions): Result.Result<Grok, PatternError> => {
  const { shared, ...others } = options
  const key = JSON.stringify([
    patterns,
    shared?.version ?? "",
    Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
  ])
  const known = kept.get(key)
  if (known !== undefined) return Result.succeed(known)
  const compiled = Result.try({
    try: () => build(patterns, options),
    catch: (error) => {
      if (error instanceof PatternError) return error
      if (!(error instanceof RangeError)) throw error
      const text = patterns[0] ?? ""
      const detail = "the pattern is nested too deeply"
      return new PatternError({ part: "pattern", detail, line: 1, column: 1, text: text.slice(0, 80), pattern: 1 })
    }
  })
  if (Result.isSuccess(compiled) && key.length <= maxKeyLength) kept.set(key, compiled.success)
  return compiled
}

type Names = ReadonlyMap<string, Definition>

// A separate function, so that a cached compilation does not keep all definitions of the tenant in memory.
const vocabularyOf = (own: Names, tenants: Names, standard: Names, leftOut: ReadonlyArray<string>): Vocabulary => ({
  lookup: (name) => own.get(name) ?? tenants.get(name) ?? standard.get(name),
  names: () => [...own.keys(), ...tenants.keys(), ...standard.keys()],
  leftOut
})

/** Compiles all patterns, to report the faults of all of them. */
const expressionsOf = (patterns: ReadonlyArray<string>, settings: ExpressionSettings): ReadonlyArray<Expression> => {
  const faults: Array<PatternError> = []
  const compiled = patterns.flatMap((text, index) => {
    try {
      return faults.length < maxFaulty ? [expression(text, index + 1, settings)] : []
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      faults.push(error)
      return []
    }
  })
  if (faults.length > 0) throw together(faults)
  return compiled
}

const none = (): ReadonlyArray<string> => []
const unused = (own: Names, vocabulary: Vocabulary, lenient: boolean) => () =>
  brokenDefinitions(own, vocabulary, lenient)

const build = (patterns: ReadonlyArray<string>, options: GrokOptions): Grok => {
  const own = readDefinitions(options.definitions ?? {})
  const shared = options.shared ?? noDefinitions
  const vocabulary = vocabularyOf(own, definitionsOf(shared), builtIn(options.bank), shared.leftOut)
  const dotall = options.dotall ?? options.dialect !== "elasticsearch"
  const settings = {
    vocabulary,
    namedCapturesOnly: options.namedCapturesOnly ?? true,
    lenient: options.dialect === "elasticsearch",
    keepEmptyCaptures: options.keepEmptyCaptures ?? false,
    dotall
  }
  const expressions = expressionsOf(patterns, settings)
  const broken = own.size === 0 ? none : unused(own, vocabulary, settings.lenient)
  return {
    expressions,
    explain: explainer(expressions, dotall),
    get hints() {
      return [...new Set([...expressions.flatMap(patternHints), ...broken()])]
    },
    ...linesMatcher(expressions)
  }
}
