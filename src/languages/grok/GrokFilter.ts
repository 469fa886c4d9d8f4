import { Result } from "effect"
import type { ConversionFailure } from "../Coercion.ts"
import { addTags, type Decorations, decorator, list } from "../Decorations.ts"
import type { Explanation } from "../Explanation.ts"
import { type Fields, fieldPath, getPath, putPath, withPath } from "../FieldPath.ts"
import type { PatternError } from "../PatternError.ts"
import { quadratic } from "./banks/Banks.ts"
import type { Expression } from "./Expression.ts"
import { leafValue } from "./fields/FieldBuilder.ts"
import type { Leaf } from "./fields/Leaf.ts"
import { noFailures } from "./fields/Recipe.ts"
import { compile as compileGrok, type Grok } from "./GrokMatcher.ts"
import type { ExpandedGroup } from "./syntax/Expand.ts"
import { childrenOf, type Node, someNode } from "./syntax/Syntax.ts"
import type { TenantDefinitions } from "./TenantDefinitions.ts"

/** Maximum number of iterations whose combinations are still quick to try. */
const fewRounds = 8
/** Maximum number of consecutive wildcard parts whose lengths are still quick to try. */
const fewWide = 3

/** Whether one iteration can match in several ways, which its repetition multiplies. */
const isAmbiguous = (body: Node, rounds: number): boolean =>
  someNode(body, (node) =>
    node.kind === "repeat"
      ? node.max === Number.POSITIVE_INFINITY || (rounds > fewRounds && node.min !== node.max)
      : node.kind === "choice" && rounds > fewRounds
  )

const isAny = (node: Node): boolean =>
  node.kind === "atom" ? node.text === "." : node.kind === "group" && isAny(node.body)

/**
 * Whether a line may keep the expression busy for very long: it has nested repetitions, many wildcard parts, or one of
 * the few built-in patterns that are known to. Repetitions of the others are ignored: their tests show that they do not
 * run away.
 */
export const mayRunAway = (root: Node): boolean => {
  let wide = 0
  const walk = (node: Node, isBuiltIn: boolean): boolean => {
    if (node.kind === "repeat") {
      if (node.max === Number.POSITIVE_INFINITY && isAny(node.node)) wide++
      if (!isBuiltIn && node.max > 2 && isAmbiguous(node.node, node.max)) return true
    }
    const origin = node.kind === "group" ? (node as ExpandedGroup).origin : undefined
    const isInside = origin === undefined ? isBuiltIn : origin.part === "bank"
    if (origin?.part === "bank" && quadratic.has((node as ExpandedGroup).reference?.syntax ?? "")) return true
    return childrenOf(node).some((child) => walk(child, isInside))
  }
  return walk(root, false) || wide > fewWide
}

/** The options of Logstash's grok filter, with its names. */
export interface GrokFilterOptions extends Decorations {
  /** Maps a source field to a pattern or patterns, tried in order. */
  readonly match: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** The definitions of the tenant. */
  readonly shared?: TenantDefinitions | undefined
  readonly pattern_definitions?: string | Readonly<Record<string, string>>
  /** Stop at the first pattern, and the first field, that matches. Default true. */
  readonly break_on_match?: boolean
  readonly named_captures_only?: boolean
  readonly keep_empty_captures?: boolean
  /** Fields that a capture replaces. In other fields, old and new values become an array. */
  readonly overwrite?: string | ReadonlyArray<string>
  /** Field that contains all captures: `x` or `[a][b]`. */
  readonly target?: string
  readonly tag_on_failure?: string | ReadonlyArray<string>
  readonly tag_on_timeout?: string
  readonly ecs_compatibility?: "disabled" | "v1" | "v8"
  /** The dot matches newlines. Default true. */
  readonly dotall?: boolean
  /** Leave events without the source field unchanged. Default false: they are matched as an empty line. */
  readonly ignore_missing?: boolean
  /** Store the index of the pattern that matched (`"0"` for the first) in `_ingest._grok_match_index`. */
  readonly trace_match?: boolean
  /** Longer lines (UTF-16 units) are not matched and tagged `_groklinetoolong`. Default 65 536. */
  readonly max_line_length?: number
}

export interface Filtered {
  readonly event: Fields
  readonly matched: boolean
  readonly failures: ReadonlyArray<ConversionFailure>
  /** The length of a text that was too long to be matched. */
  readonly tooLong?: number
}

export interface GrokFilter {
  /** A copy of the event with captures, decorations and tags. */
  readonly apply: (event: Fields) => Filtered
  /** Filters many events; considerably faster per event than `apply`. */
  readonly applyAll: (events: ReadonlyArray<Fields>) => ReadonlyArray<Filtered>
  /** Whether matching an event may take very long. */
  readonly mayRunAway: boolean
  /** Why no pattern matches the event: of its texts, the one in which a pattern came furthest. Not for long texts. */
  readonly explain: (event: Fields) => Explanation | undefined
  /** The event after its matching was interrupted. */
  readonly timedOut: (event: Fields) => Fields
}

interface Target {
  readonly path: ReadonlyArray<string>
  readonly replaces: boolean
}

/** Maximum length of a text that is explained, because the time may grow with the square of the length. */
const maxExplained = 2048

/** Elasticsearch's field for it. */
const tracePath = ["_ingest", "_grok_match_index"]

const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null) return ""
  // A number with its digits is an object, and JSON.stringify writes them.
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** Compiles the filter's patterns. */
export const compile = (options: GrokFilterOptions): Result.Result<GrokFilter, PatternError> => {
  const sources: Array<readonly [ReadonlyArray<string>, Grok]> = []
  for (const [field, patterns] of Object.entries(options.match)) {
    const compiled = compileGrok(list(patterns), {
      bank: (options.ecs_compatibility ?? "disabled") === "disabled" ? "legacy" : "ecs-v1",
      shared: options.shared,
      definitions: options.pattern_definitions ?? {},
      namedCapturesOnly: options.named_captures_only ?? true,
      keepEmptyCaptures: options.keep_empty_captures ?? false,
      dotall: options.dotall ?? true
    })
    if (Result.isFailure(compiled)) return Result.fail(compiled.failure)
    sources.push([fieldPath(field), compiled.success])
  }
  return Result.succeed(make(sources, options))
}

const make = (
  sources: ReadonlyArray<readonly [ReadonlyArray<string>, Grok]>,
  options: GrokFilterOptions
): GrokFilter => {
  const {
    break_on_match = true,
    keep_empty_captures = false,
    max_line_length = 65_536,
    ignore_missing,
    trace_match = false
  } = options
  const overwrite = new Set(list(options.overwrite).map((field) => JSON.stringify(fieldPath(field))))
  const prefix = options.target === undefined ? [] : fieldPath(options.target)
  const failureTags = options.tag_on_failure === undefined ? ["_grokparsefailure"] : list(options.tag_on_failure)
  const decorate = decorator(options)

  const targets = new Map<Leaf, Target>()
  for (const [, { expressions }] of sources)
    for (const leaf of expressions.flatMap((expression) => expression.leaves))
      targets.set(leaf, { path: [...prefix, ...leaf.path], replaces: overwrite.has(JSON.stringify(leaf.path)) })

  /** Stores a value in `event`, which is already a copy. False when a scalar is in the way. */
  const store = (event: Fields, { path, replaces }: Target, value: unknown): boolean => {
    if (replaces) return putPath(event, path, Array.isArray(value) ? value.at(-1)! : value)
    const present = getPath(event, path)
    if (present === undefined || present === null) return putPath(event, path, value)
    if (Array.isArray(present)) return putPath(event, path, present.concat(value))
    return typeof present === "string" ? putPath(event, path, [present].concat(value as string)) : true
  }

  /** The event with the captures, in the common case that no field exists yet; undefined otherwise. */
  const join = (event: Fields, fields: Fields): Fields | undefined => {
    if (prefix.length > 0) return undefined
    const keys = Object.keys(event)
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!
      if (Object.hasOwn(fields, key) || key === "__proto__") return undefined
    }
    // The captures are a new object that belongs to this match, so adding the event's few fields to it is cheapest.
    for (let index = 0; index < keys.length; index++) fields[keys[index]!] = event[keys[index]!]!
    return fields
  }

  const capture = (event: Fields, line: string, expression: Expression, failures: Array<ConversionFailure>) => {
    const plain = expression.match(line)
    if (plain === undefined) return undefined
    const merged = plain.failures.length === 0 ? join(event, plain.fields) : undefined
    if (merged !== undefined) return merged
    const found = expression.exec(line, false)
    if (found === undefined) return undefined
    const next = { ...event }
    for (const leaf of expression.leaves) {
      const value = leafValue(leaf, found.match, found.numbers, keep_empty_captures, failures)
      if (value !== undefined && !store(next, targets.get(leaf)!, value)) {
        const detail = `field "${leaf.name}" clashes with one that is not an object`
        failures.push({ field: leaf.name, type: "object", value: asText(value), detail })
      }
    }
    return next
  }

  const apply = (event: Fields): Filtered => {
    const failures: Array<ConversionFailure> = []
    let next = event
    let matched = false
    let tooLong: number | undefined
    for (const [path, { expressions }] of sources) {
      const source = getPath(event, path)
      if (ignore_missing === true && (source === undefined || source === null)) continue
      let hit = false
      for (const element of Array.isArray(source) ? source : [source]) {
        const line = asText(element)
        if (line.length > max_line_length) {
          tooLong = line.length
          continue
        }
        for (const [index, expression] of expressions.entries()) {
          const captured = capture(next, line, expression, failures)
          if (captured === undefined) continue
          next = trace_match ? (withPath(captured, tracePath, String(index)) ?? captured) : captured
          hit = true
          if (break_on_match) break
        }
      }
      matched ||= hit
      if (hit && break_on_match) break
    }
    if (failures.length > 0) next = addTags(next, ["_grokconversionfailure"])
    if (matched) return { event: decorate(next), matched, failures }
    if (tooLong !== undefined) return { event: addTags(next, ["_groklinetoolong"]), matched, failures, tooLong }
    const missing = ignore_missing === true && sources.every(([path]) => (getPath(event, path) ?? null) === null)
    return { event: missing ? next : addTags(next, failureTags), matched, failures }
  }

  const [first, ...others] = sources
  const isTried = (source: unknown): source is string => typeof source === "string" && source.length <= max_line_length

  return {
    apply,
    applyAll: (events) => {
      if (first === undefined || others.length > 0 || !break_on_match || trace_match) return events.map(apply)
      const [path, grok] = first
      const lines: Array<string> = []
      const places = events.map((event) => {
        const text = getPath(event, path)
        return isTried(text) ? lines.push(text) - 1 : -1
      })
      const matches = grok.matchAll(lines)
      return events.map((event, index) => {
        const place = places[index]!
        if (place < 0) return apply(event)
        const found = matches[place]
        if (found === undefined) return { event: addTags(event, failureTags), matched: false, failures: noFailures }
        const merged = found.failures.length === 0 ? join(event, found.fields) : undefined
        return merged === undefined ? apply(event) : { event: decorate(merged), matched: true, failures: noFailures }
      })
    },
    explain: (event) => {
      let best: Explanation | undefined
      for (const [path, grok] of sources) {
        const source = getPath(event, path)
        for (const element of Array.isArray(source) ? source : [source]) {
          if (element === undefined || element === null) continue
          const line = asText(element)
          if (line.length > maxExplained) continue
          const explanation = grok.explain(line)
          const reached = explanation.failure?.matchedUpTo ?? -1
          if (best === undefined || reached > (best.failure?.matchedUpTo ?? -1)) best = explanation
        }
      }
      return best
    },
    mayRunAway: sources.some(([, { expressions }]) => expressions.some(({ tree }) => mayRunAway(tree.root))),
    timedOut: (event) => addTags(event, [options.tag_on_timeout ?? "_groktimeout"])
  }
}
