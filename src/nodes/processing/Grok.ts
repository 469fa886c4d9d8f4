import { Result, Schema } from "effect"
import { list } from "../../languages/Decorations.ts"
import type { Explanation } from "../../languages/Explanation.ts"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { finishes, type Guard } from "../../languages/Guard.ts"
import { compile, type Filtered, type GrokFilter, type GrokFilterOptions } from "../../languages/grok/GrokFilter.ts"
import { compile as compileGrok, type GrokOptions } from "../../languages/grok/GrokMatcher.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import { anyFields, decorated, dotted, named, withFields } from "../FieldUse.ts"
import { type CheckContext, chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { keepSource } from "../records/Source.ts"
import { decorationSettings, Texts, texts } from "../settings/DecorationSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))
const flag = (fallback: boolean, description: string) => Schema.Boolean.pipe(withDefault(fallback, description))

const maxPatterns = 100

const settings = Schema.Struct({
  field: Schema.String.check(Schema.isNonEmpty()).pipe(
    withDefault("message", "Field with the text; a nested one is written `a.b` or `[a][b]`.")
  ),
  patterns: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.String)
      .check(Schema.isMaxLength(maxPatterns))
      .annotate({ description: "Grok patterns, tried in order. Required, unless there is `match`." })
  ),
  match: Schema.optionalKey(
    Schema.Record(Schema.String, Texts).annotate({
      description:
        "Several fields, each with a pattern or a list of them, in place of `field` and `patterns`. The fields are tried " +
        "in order; with `break_on_match`, up to the first one that matches."
    })
  ),
  definitions: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.String)]).annotate({
      description: "Additional patterns: `NAME regex` lines, or an object of names and regular expressions."
    })
  ),
  break_on_match: flag(true, "Stop at the first pattern that matches. False: all of them add their fields."),
  named_captures_only: flag(true, "Keep only what a pattern names. False: `%{WORD}` is kept as `WORD`."),
  keep_empty_captures: flag(false, "Keep captures that are empty or took no part."),
  ecs_compatibility: Schema.Literals(["disabled", "v1", "v8"]).pipe(
    withDefault("disabled", "Field names of the built-in patterns: `disabled` for the older flat ones, `v1` for ECS.")
  ),
  overwrite: texts("Fields that a capture replaces; any other field becomes a list of the old and the new value."),
  target: text("Field below which all captures are put."),
  ignore_missing: flag(false, "Pass on records without the field as they are, in place of failing them."),
  trace_match: flag(false, 'Say which pattern matched: `_ingest._grok_match_index` is its place, from `"0"`.'),
  dotall: flag(true, "The dot matches line ends too."),
  max_line_length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_048_576 })).pipe(
    withDefault(65_536, "Maximum length of the text in characters; a longer text fails.")
  ),
  timeout_millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })).pipe(
    withDefault(1000, "Processor time in milliseconds for a text, when the patterns may take very long; then it fails.")
  ),
  ...decorationSettings,
  tag_on_timeout: text("Tag of a record that took too long. Default: `_groktimeout`."),
  tag_on_failure: texts("Tags of a record that did not match. Default: `_grokparsefailure`.")
})
type Settings = typeof settings.Type

/** The fields with their patterns. */
const matchOf = ({ field, patterns, match }: Settings) => match ?? { [field]: patterns ?? [] }

const options = (settings: Settings, shared: TenantDefinitions | undefined): GrokFilterOptions => {
  const { field: _, patterns: __, definitions, timeout_millis: ___, ...rest } = settings
  return {
    ...rest,
    shared,
    match: matchOf(settings),
    ...(definitions === undefined ? {} : { pattern_definitions: definitions })
  }
}

const grokOptions = (settings: Settings, shared: TenantDefinitions | undefined): GrokOptions => ({
  shared,
  bank: settings.ecs_compatibility === "disabled" ? "legacy" : "ecs-v1",
  definitions: settings.definitions ?? {},
  namedCapturesOnly: settings.named_captures_only,
  keepEmptyCaptures: settings.keep_empty_captures,
  dotall: settings.dotall
})

type Placed = readonly [path: SettingsIssue["path"], pattern: string]

/** The patterns with their paths in the settings. */
const placed = ({ patterns, match }: Settings): ReadonlyArray<Placed> =>
  match === undefined
    ? (patterns ?? []).map((pattern, index): Placed => [["patterns", index], pattern])
    : Object.entries(match).flatMap(([field, texts]) =>
        list(texts).map(
          (pattern, index): Placed => [typeof texts === "string" ? ["match", field] : ["match", field, index], pattern]
        )
      )

const shapeFaults = (settings: Settings): ReadonlyArray<SettingsIssue> => {
  const { patterns, match } = settings
  if (patterns === undefined && match === undefined) return [{ path: ["patterns"], detail: "give patterns, or match" }]
  if (patterns !== undefined && match !== undefined)
    return [{ path: ["match"], detail: "match replaces field and patterns; give one of them" }]
  const count = placed(settings).length
  if (count === 0) return [{ path: ["match"], detail: "match names no pattern" }]
  return count > maxPatterns
    ? [{ path: ["match"], detail: `match has ${count} patterns, more than ${maxPatterns}` }]
    : []
}

/** Compiles the patterns one by one to find the faults of all of them. */
const check = (settings: Settings, { patterns: shared }: CheckContext): ReadonlyArray<SettingsIssue> => {
  const shape = shapeFaults(settings)
  if (shape.length > 0) return shape
  const found = new Map<string, SettingsIssue>()
  for (const [place, pattern] of placed(settings)) {
    const compiled = compileGrok([pattern], grokOptions(settings, shared))
    if (Result.isSuccess(compiled)) continue
    for (const { part, source, detail, line, column, message } of [
      compiled.failure,
      ...(compiled.failure.others ?? [])
    ]) {
      const path = part === "definitions" && source === undefined ? ["definitions"] : place
      // A fault in the definitions is reported for every pattern that uses them, so its place would mislead.
      const issue = source === undefined ? { path, detail, line, column } : { path, detail: message }
      found.set(JSON.stringify(issue), issue)
    }
  }
  return [...found.values()]
}

export const grok = node({
  type: "grok",
  kind: "processing",
  effect: "parses",
  description: "Parses a text field with grok patterns and adds what they capture to the record.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  needs: ["patterns"],
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", patterns: ["%{COMBINEDAPACHELOG}"] },
  check,
  expressions: ({ patterns, match, definitions }) => [patterns, match, definitions],
  alternatives: (settings, { patterns: shared }) => ({
    isFirst: settings.break_on_match,
    list: placed(settings).map(([path, pattern]) => {
      const compiled = Result.getOrThrow(compileGrok([pattern], grokOptions(settings, shared)))
      const source = fieldPath(path[0] === "match" ? String(path[1]) : settings.field)
      const fits = (event: Fields) =>
        [getPath(event, source)].flat().some((text) => typeof text === "string" && compiled.match(text) !== undefined)
      return { path, text: pattern, fits: (event) => fits(event) }
    })
  }),
  fields: (settings, { patterns: shared }) => {
    const { target, match, ignore_missing, field, trace_match } = settings
    const compiled = compileGrok(
      placed(settings).map(([, pattern]) => pattern),
      grokOptions(settings, shared)
    )
    if (Result.isFailure(compiled)) return anyFields
    const below = target === undefined ? "" : `${dotted(target)}.`
    const captures = compiled.success.expressions.flatMap(({ leaves }) => leaves.map(({ path }) => path.join(".")))
    const sources =
      match === undefined
        ? named(field, ["field"])
        : Object.keys(match).map((name) => ({ name: dotted(name), path: ["match", name] }))
    const added = [...captures.map((name) => `${below}${name}`), ...(trace_match ? ["_ingest"] : [])]
    return {
      // Of several fields, some may be missing.
      reads: ignore_missing || sources.length > 1 ? [] : sources,
      gives: (known) => decorated(withFields(known, added), settings)
    }
  },
  start: (settings, context) => {
    const filter = Result.getOrThrow(compile(options(settings, context.patterns)))
    const failures = new Failures(context)
    const { ignore_missing, max_line_length, timeout_millis } = settings
    const { guard } = context
    const applyAll: (events: ReadonlyArray<Fields>) => ReadonlyArray<Applied> =
      guard === undefined || !filter.mayRunAway ? filter.applyAll : guarded(filter, guard, timeout_millis)
    const fields = Object.keys(matchOf(settings))
    const sources = fields.map(fieldPath)
    const named = `${fields.length === 1 ? "the field" : "the fields"} ${fields.join(", ")}`
    const isMissing = (event: Fields) => sources.every((source) => (getPath(event, source) ?? null) === null)
    const explain =
      guard === undefined || !filter.mayRunAway ? filter.explain : explained(filter, guard, timeout_millis)
    return {
      process: async (batch, emit) => {
        const parsed: Array<Event> = []
        const results = applyAll(batch as ReadonlyArray<Fields>)
        for (let at = 0; at < results.length; at++) {
          const { event, matched, late, tooLong } = results[at]!
          // The captures are a new object, to which the filter adds the members of the event that have names.
          keepSource(batch[at]!, event)
          if (late === true) failures.add(event, `the patterns did not finish within ${timeout_millis} ms`)
          else if (matched || (ignore_missing && isMissing(event))) parsed.push(event)
          else if (tooLong !== undefined)
            failures.add(event, `${tooLong} characters in ${named} are more than max_line_length (${max_line_length})`)
          else failures.add(event, `no pattern matches ${named}`, () => explain(event))
        }
        await emit(chosen, parsed)
        await failures.send(emit)
      }
    }
  }
})

type Applied = Pick<Filtered, "event" | "matched" | "tooLong"> & { readonly late?: boolean }

/** Explains within the time that matching has. */
const explained =
  (filter: GrokFilter, guard: Guard, millis: number) =>
  (event: Fields): Explanation | undefined => {
    let made: Explanation | undefined
    const isDone = finishes(guard, millis, () => {
      made = filter.explain(event)
    })
    return isDone ? made : undefined
  }

/**
 * Processes the batch as a whole, which is fast. On a timeout, processes each event separately to find the slow one.
 */
const guarded =
  (filter: GrokFilter, guard: Guard, millis: number) =>
  (events: ReadonlyArray<Fields>): ReadonlyArray<Applied> => {
    let all: ReadonlyArray<Applied> | undefined
    const isDone = guard.within(millis, () => {
      all = filter.applyAll(events)
    })
    if (isDone && all !== undefined) return all
    return events.map((event): Applied => {
      let one: Applied | undefined
      const isDone = finishes(guard, millis, () => {
        one = filter.apply(event)
      })
      return isDone && one !== undefined ? one : { event: filter.timedOut(event), matched: false, late: true }
    })
  }
