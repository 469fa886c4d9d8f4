import { Effect, Predicate, Schema } from "effect"
import { type Decorations, decorator } from "../../languages/Decorate.ts"
import type { Explanation } from "../../languages/Explanation.ts"
import { type Fields, fieldPath, getPath, refusedSegment, type Value } from "../../languages/FieldPath.ts"
import { isRaw } from "../../languages/json/JsonNumbers.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Event, type Instance, type NodeContext, type SettingsIssue } from "../Node.ts"

/** Settings of nodes that parse the text of one field. */
export const parsedSettings = {
  field: Schema.String.check(Schema.isNonEmpty())
    .annotate({ description: "Field with the text; a nested one is written `a.b` or `[a][b]`.", default: "message" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("message"))),
  target: Schema.optionalKey(
    Schema.String.annotate({ description: "Field that receives the results. Default: the record itself." })
  ),
  ignore_missing: Schema.Boolean.annotate({
    description: "Pass on records without the field unchanged instead of failing them.",
    default: false
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
}

interface Settings extends Decorations {
  readonly field: string
  readonly target?: string
  readonly ignore_missing: boolean
}

/** The fault of a field name that must not be written. */
export const targetFaults = (name: string, target: string | undefined): ReadonlyArray<SettingsIssue> => {
  const refused = target === undefined ? undefined : refusedSegment(fieldPath(target))
  return refused === undefined ? [] : [{ path: [name], detail: `${refused} cannot be a field` }]
}

/** Merges the fields into the event: values are replaced, objects are merged. Does not change either argument. */
export const merge = (event: Event, fields: Event): Event => {
  const merged = { ...event }
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    const present = typeof value === "object" && Object.hasOwn(merged, key) ? merged[key] : undefined
    const next = Predicate.isObject(present) && Predicate.isObject(value) ? merge(present, value) : value
    // An assignment would set the prototype.
    if (key === "__proto__")
      Object.defineProperty(merged, key, { value: next, enumerable: true, configurable: true, writable: true })
    else merged[key] = next
  }
  return merged
}

/** Nests the value below a path. */
export const placed = (path: ReadonlyArray<string>, value: Value): Value =>
  path.reduceRight<Value>((inner, key) => ({ [key]: inner }), value)

/** Why a text could not be parsed. */
export class Unreadable extends Error {
  /** Tells where in the text, if that is known. */
  readonly explain: (() => Explanation) | undefined

  constructor(reason: string, explain?: () => Explanation) {
    super(reason)
    this.explain = explain
  }
}

/**
 * A node that parses the text of one field: `read` returns the fields to add, or returns or throws
 * {@link Unreadable}. Parsed records are decorated as the settings say. Records without the field, or with an object in
 * it, fail.
 */
export const parsing = (
  settings: Settings,
  context: NodeContext,
  read: (text: string, event: Event) => Fields | Unreadable
): Instance => {
  const { field, ignore_missing } = settings
  const source = fieldPath(field)
  const below = settings.target === undefined ? [] : fieldPath(settings.target)
  const failures = new Failures(context)
  const decorate = decorator(settings)
  const one = (event: Event): Event | undefined => {
    const value = getPath(event as Fields, source)
    if (value === undefined || value === null) {
      if (ignore_missing) return event
      failures.add(event, `the field ${field} is missing`)
      return undefined
    }
    if (typeof value === "object" && !isRaw(value)) {
      failures.add(event, `the field ${field} is not a text`)
      return undefined
    }
    try {
      const fields = read(isRaw(value) ? value.rawJSON : String(value), event)
      if (!(fields instanceof Unreadable)) return decorate(merge(event, placed(below, fields) as Event) as Fields)
      failures.add(event, fields.message, fields.explain)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      failures.add(event, error.message, error.explain)
    }
    return undefined
  }
  return {
    process: async (batch, emit) => {
      const parsed: Array<Event> = []
      for (const event of batch) {
        const made = one(event)
        if (made !== undefined) parsed.push(made)
      }
      await emit(chosen, parsed)
      await failures.send(emit)
    }
  }
}
