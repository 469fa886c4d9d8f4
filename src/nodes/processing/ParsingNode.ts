import { Predicate, Schema } from "effect"
import { asItIs, type Decorations, decorator } from "../../languages/Decorations.ts"
import type { Explanation } from "../../languages/Explanation.ts"
import { type Fields, fieldPath, getPath, isInList, mayBeElement, withPath } from "../../languages/FieldPath.ts"
import { fieldReader } from "../../languages/Generated.ts"
import { batchSteps, type Guard } from "../../languages/Guard.ts"
import { isRaw } from "../../languages/json/JsonNumbers.ts"
import { type Batch, chosen, type Event, type Instance, type NodeContext } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { isLineSource, sourceField } from "../records/Source.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName } from "../settings/SettingTexts.ts"

/** Settings of nodes that parse the text of one field. */
export const parsedSettings = {
  field: Schema.String.check(Schema.isNonEmpty()).pipe(
    withDefault("message", "Field with the text; a nested one is written `a.b` or `[a][b]`.")
  ),
  target: Schema.optionalKey(
    FieldName.annotate({ description: "Field that receives the results. Default: the record itself." })
  ),
  ignore_missing: Schema.Boolean.pipe(
    withDefault(false, "Pass on records without the field unchanged instead of failing them.")
  )
}

interface Settings extends Decorations {
  readonly field: string
  readonly target?: string
  readonly ignore_missing: boolean
}

/** Merges a value into a member of an event that is already a copy: see {@link merge}. */
const mergeMember = (merged: Fields, key: string, value: unknown): void => {
  // Where a record is from does not change.
  if (key === sourceField && isLineSource(merged[key])) return
  const present = typeof value === "object" && Object.hasOwn(merged, key) ? merged[key] : undefined
  const next = Predicate.isObject(present) && Predicate.isObject(value) ? merge(present, value) : value
  // An assignment would set the prototype.
  if (key === "__proto__")
    Object.defineProperty(merged, key, { value: next, enumerable: true, configurable: true, writable: true })
  else merged[key] = next
}

/** Merges the fields into the event: values are replaced, objects are merged. Does not change either argument. */
export const merge = (event: Event, fields: Event): Event => {
  const merged = { ...event }
  for (const key of Object.keys(fields)) mergeMember(merged, key, fields[key])
  return merged
}

/** Nests the value below a path. */
const placed = (path: ReadonlyArray<string>, value: unknown): Fields =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value) as Fields

/** Merges a value into an event; undefined where it cannot be written, because a list has no such element. */
export type Merge = (event: Event, value: unknown) => Event | undefined

/** Merges values into the field of this name, or into the event itself. */
export const mergeInto = (target: string | undefined): Merge => {
  const path = target === undefined ? [] : fieldPath(target)
  const [key] = path
  if (key !== undefined && path.length === 1) {
    return (event, value) => {
      const merged = { ...event }
      mergeMember(merged, key, value)
      return merged
    }
  }
  if (!mayBeElement(path)) return (event, value) => merge(event, placed(path, value))
  return (event, value) => {
    if (!isInList(event, path)) return merge(event, placed(path, value))
    const present = getPath(event, path)
    return withPath(
      event,
      path,
      Predicate.isObject(present) && Predicate.isObject(value) ? merge(present, value) : value
    )
  }
}

/** Why {@link mergeInto} does not write. */
export const inTheWay = (target: string | undefined): string =>
  `the field ${target} cannot be written, because a value is in its way`

/** Why a text could not be parsed. */
export class Unreadable extends Error {
  /** Tells where in the text, if that is known. */
  readonly explain: (() => Explanation) | undefined

  constructor(reason: string, explain?: () => Explanation) {
    super(reason)
    this.explain = explain
  }
}

/** Returned by a parser that found nothing to add: the record passes as it is. */
export const unchanged = Symbol("unchanged")

/** Returned by a parser for a text that is no record, such as a header. */
export const dropped = Symbol("dropped")

type Parse = (text: string, event: Event) => Fields | string | Unreadable | typeof unchanged | typeof dropped

/** How records are parsed. */
interface Parsing {
  /** Processor time for a record in milliseconds; then `parse` must not keep anything: it is interrupted anywhere. */
  readonly millis?: number | undefined
  /** `parse` returns whole records. By default it returns fields, which are merged into the record or its `target`. */
  readonly isWhole?: boolean
}

/**
 * A node that parses the text of one field: `parse` returns the fields to add, or a text for the `target`, or returns or throws
 * {@link Unreadable}. Parsed records are decorated as the settings say. Records without the field, or with an object in
 * it, fail, and so do those that take too much processor time.
 */
export const parsing = (
  settings: Settings,
  context: NodeContext,
  parse: Parse,
  { millis, isWhole = false }: Parsing = {}
): Instance => {
  const { field, ignore_missing } = settings
  const read = fieldReader(fieldPath(field))
  const put = mergeInto(settings.target)
  const failures = new Failures(context)
  const decorate = decorator(settings)
  const isDecorated = decorate !== asItIs
  /** The record to pass on, the reason why it fails, or undefined when it is dropped. */
  const one = (event: Event): Result => {
    const value = read(event)
    if (typeof value === "string") return parsed(value, event)
    if (value === undefined || value === null) return ignore_missing ? event : `the field ${field} is missing`
    if (typeof value === "object" && !isRaw(value)) return `the field ${field} is not a text`
    return parsed(isRaw(value) ? value.rawJSON : String(value), event)
  }
  const parsed = (text: string, event: Event): Result => {
    try {
      const fields = parse(text, event)
      if (fields === unchanged) return event
      if (fields === dropped) return undefined
      if (fields instanceof Unreadable) return fields
      const whole = isWhole ? (fields as Fields) : put(event, fields)
      if (whole === undefined) return inTheWay(settings.target)
      return isDecorated ? decorate(whole) : whole
    } catch (error) {
      if (error instanceof Unreadable) return error
      throw error
    }
  }
  const { guard } = context
  return {
    process: async (batch, emit) => {
      const made: Array<Event> = []
      const take = (event: Event, result: Result): void => {
        if (typeof result === "string") failures.add(event, result)
        else if (result instanceof Unreadable) failures.add(event, result.message, result.explain)
        else if (result !== undefined) made.push(result)
      }
      if (guard === undefined || millis === undefined) for (const event of batch) take(event, one(event))
      else for (const [at, result] of limited(batch, one, guard, millis).entries()) take(batch[at]!, result)
      await emit(chosen, made)
      await failures.send(emit)
    }
  }
}

type Result = Event | Unreadable | string | undefined

/** Applies `one` to the events of a batch; the reason stands for the result of one that takes too long. */
export const limited = <A>(
  batch: Batch,
  one: (event: Event) => A,
  guard: Guard,
  millis: number
): ReadonlyArray<A | string> => batchSteps(batch, one, guard, millis, `the record took longer than ${millis} ms`)
