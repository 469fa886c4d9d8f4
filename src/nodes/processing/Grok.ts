import { Effect, Result, Schema } from "effect"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { finishes, type Guard } from "../../languages/Guard.ts"
import { compile, type Filtered, type GrokFilter, type GrokFilterOptions } from "../../languages/grok/GrokFilter.ts"
import { compile as compileGrok, type GrokOptions } from "../../languages/grok/GrokMatcher.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import { Failures } from "../Failures.ts"
import { type CheckContext, chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { decorationFaults, decorationSettings } from "./Decorated.ts"

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))
const texts = (description: string) => Schema.optionalKey(Texts.annotate({ description }))
const flag = (fallback: boolean, description: string) =>
  Schema.Boolean.annotate({ description, default: fallback }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(fallback))
  )

const settings = Schema.Struct({
  field: Schema.String.check(Schema.isNonEmpty())
    .annotate({ description: "Field with the text; a nested one is written `a.b` or `[a][b]`.", default: "message" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("message"))),
  patterns: Schema.NonEmptyArray(Schema.String)
    .check(Schema.isMaxLength(100))
    .annotate({ description: "Grok patterns, tried in order." }),
  definitions: Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.String)]).annotate({
      description: "Additional patterns: `NAME regex` lines, or an object of names and regular expressions."
    })
  ),
  break_on_match: flag(true, "Stop at the first pattern that matches. False: all of them add their fields."),
  named_captures_only: flag(true, "Keep only what a pattern names. False: `%{WORD}` is kept as `WORD`."),
  keep_empty_captures: flag(false, "Keep captures that are empty or took no part."),
  ecs_compatibility: Schema.Literals(["disabled", "v1", "v8"])
    .annotate({
      description: "Field names of the built-in patterns: `disabled` for the older flat ones, `v1` for ECS.",
      default: "disabled"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("disabled" as const))),
  overwrite: texts("Fields that a capture replaces; any other field becomes a list of the old and the new value."),
  target: text("Field below which all captures are put."),
  ignore_missing: flag(false, "Pass on records without the field as they are, in place of failing them."),
  trace_match: flag(false, 'Say which pattern matched: `_ingest._grok_match_index` is its place, from `"0"`.'),
  dotall: flag(true, "The dot matches line ends too."),
  max_line_length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_048_576 }))
    .annotate({ description: "Maximum length of the text in characters; a longer text fails.", default: 65_536 })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(65_536))),
  timeout_millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))
    .annotate({
      description: "Processor time in milliseconds for a text, when the patterns may take very long; then it fails.",
      default: 1000
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(1000))),
  ...decorationSettings,
  tag_on_timeout: text("Tag of a record that took too long. Default: `_groktimeout`."),
  tag_on_failure: texts("Tags of a record that did not match. Default: `_grokparsefailure`.")
})
type Settings = typeof settings.Type

const options = (
  { field, patterns, definitions, timeout_millis: _, ...rest }: Settings,
  shared: TenantDefinitions | undefined
): GrokFilterOptions => ({
  ...rest,
  shared,
  match: { [field]: patterns },
  ...(definitions === undefined ? {} : { pattern_definitions: definitions })
})

const grokOptions = (settings: Settings, shared: TenantDefinitions | undefined): GrokOptions => ({
  shared,
  bank: settings.ecs_compatibility === "disabled" ? "legacy" : "ecs-v1",
  definitions: settings.definitions ?? {},
  namedCapturesOnly: settings.named_captures_only,
  keepEmptyCaptures: settings.keep_empty_captures,
  dotall: settings.dotall
})

/** Compiles the patterns one by one to find the faults of all of them. */
const check = (settings: Settings, { patterns: shared }: CheckContext): ReadonlyArray<SettingsIssue> => {
  const found = new Map<string, SettingsIssue>()
  settings.patterns.forEach((pattern, index) => {
    const compiled = compileGrok([pattern], grokOptions(settings, shared))
    if (Result.isSuccess(compiled)) return
    const { part, source, detail, line, column, message } = compiled.failure
    const path = part === "definitions" && source === undefined ? ["definitions"] : ["patterns", index]
    // A fault in the definitions is reported for every pattern that uses them, so its place would mislead.
    const issue = source === undefined ? { path, detail, line, column } : { path, detail: message }
    found.set(JSON.stringify(issue), issue)
  })
  return [...found.values(), ...decorationFaults(settings)]
}

export const grok = node({
  type: "grok",
  kind: "processing",
  description: "Parses a text field with grok patterns and adds what they capture to the record.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  needs: ["patterns"],
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", patterns: ["%{COMBINEDAPACHELOG}"] },
  check,
  start: (settings, context) => {
    const filter = Result.getOrThrow(compile(options(settings, context.patterns)))
    const failures = new Failures(context)
    const { field, ignore_missing, timeout_millis } = settings
    const { guard } = context
    const applyAll: (events: ReadonlyArray<Fields>) => ReadonlyArray<Applied> =
      guard === undefined || !filter.mayRunAway ? filter.applyAll : guarded(filter, guard, timeout_millis)
    const source = fieldPath(field)
    return {
      process: async (batch, emit) => {
        const parsed: Array<Event> = []
        for (const { event, matched, late } of applyAll(batch as ReadonlyArray<Fields>)) {
          if (late === true) failures.add(event, `the patterns did not finish within ${timeout_millis} ms`)
          else if (matched || (ignore_missing && (getPath(event, source) ?? null) === null)) parsed.push(event)
          else failures.add(event, `no pattern matches the field ${field}`)
        }
        await emit(chosen, parsed)
        await failures.send(emit)
      }
    }
  }
})

type Applied = Pick<Filtered, "event" | "matched"> & { readonly late?: boolean }

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
