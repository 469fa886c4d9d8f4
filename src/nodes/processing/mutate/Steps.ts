import * as Predicate from "effect/Predicate"
import { interpolate } from "../../../languages/Decorations.ts"
import { predicate } from "../../../languages/expression/Compile.ts"
import { type Fields, fieldPath, mayBeElement, partOf } from "../../../languages/FieldPath.ts"
import { fieldAdder } from "../../../languages/Generated.ts"
import { isLineSource, keepSource, sourceField } from "../../records/Source.ts"
import { transforms } from "../kv/KvFields.ts"
import { conversion } from "./Convert.ts"
import { type Operation, operationNames } from "./Operations.ts"
import { compacting, Place } from "./Place.ts"
import { maxLength, replacer } from "./Replace.ts"
import { expanded, flattened, mergedValues, Refusal } from "./Shapes.ts"

/**
 * Does an operation to a record that is a copy, whose inner objects are shared. Returns the record, which may be another
 * one, or why it fails.
 */
type Step = (event: Fields) => Fields | string

const inTheWay = (place: Place) => `${place.name} cannot be written, because a value is in its way`

/** The steps one after the other; the first reason ends them. */
const inOrder = (steps: ReadonlyArray<Step>): Step => {
  const [only] = steps
  if (only !== undefined && steps.length === 1) return only
  return (event) => {
    let next = event
    for (const step of steps) {
      const made = step(next)
      if (typeof made === "string") return made
      next = made
    }
    return next
  }
}

/** One step for each of the members. */
const each = <A>(members: Readonly<Record<string, A>>, stepOf: (name: string, value: A) => Step): Step =>
  inOrder(Object.entries(members).map(([name, value]) => stepOf(name, value)))

/** Changes the values of fields that are there: `change` returns the new value or why there is none. */
const changing = (names: Iterable<string>, change: (value: unknown, name: string) => unknown): Step => {
  const steps = [...names].map((name): Step => {
    const place = new Place(name)
    return (event) => {
      const value = place.read(event)
      if (value === undefined || value === null) return event
      const next = change(value, name)
      if (next instanceof Refusal) return next.reason
      if (!Object.is(next, value)) place.write(event, next)
      return event
    }
  })
  return inOrder(steps)
}

/** What is in an element's place until its value is where it goes. */
const moved: Fields = Object.freeze({})

const moving = (from: string, to: string, isKept = false): Step => {
  const [source, target] = [new Place(from), new Place(to)]
  if (!isKept && mayBeElement(source.path)) {
    return (event) => {
      const value = source.read(event)
      if (value === undefined) return event
      // An element that left its list at once would give its place to the next one, which the other name may mean.
      source.write(event, moved)
      if (!target.write(event, value)) return inTheWay(target)
      if (source.read(event) === moved) source.remove(event)
      return event
    }
  }
  return (event) => {
    const value = source.read(event)
    if (value === undefined) return event
    if (!isKept) source.remove(event)
    return target.write(event, value) ? event : inTheWay(target)
  }
}

const setting = (name: string, value: unknown, isMissing: boolean): Step => {
  const place = new Place(name)
  const valueOf =
    typeof value === "string" && value.includes("%{") ? (event: Fields) => interpolate(value, event) : () => value
  return (event) => {
    if (isMissing && (place.read(event) ?? null) !== null) return event
    return place.write(event, valueOf(event)) ? event : inTheWay(place)
  }
}

const keeping = (names: ReadonlyArray<string>): Step => {
  const places = names.map((name) => new Place(name))
  const paths = places.map(({ path }) => path)
  // Only the record tells which names are those of elements.
  if (paths.some(mayBeElement)) return (event) => (partOf(event, paths) ?? {}) as Fields
  return (event) => {
    const kept: Fields = {}
    for (const place of places) {
      const value = place.read(event)
      if (value !== undefined) place.write(kept, value)
    }
    return kept
  }
}

const isText = (value: unknown): value is string | number | boolean => typeof value !== "object"

/** Changes texts, alone or in a list. Other values in a list stay, and null does. */
const ofTexts = (names: ReadonlyArray<string>, change: (text: string, name: string) => unknown): Step =>
  changing(names, (value, name) => {
    if (typeof value === "string") return change(value, name)
    if (!Array.isArray(value)) return isText(value) ? value : new Refusal(`the field ${name} is not a text`)
    const changed: Array<unknown> = []
    for (const item of value) {
      const next = typeof item === "string" ? change(item, name) : item
      if (next instanceof Refusal) return next
      changed.push(next)
    }
    return changed
  })

const replacing = ({ fields, pattern, with: text }: NonNullable<Operation["replace"]>): Step => {
  const replace = replacer(pattern, text)
  const change = (value: string, name: string) =>
    replace(value) ?? new Refusal(`the field ${name} would be longer than ${maxLength} characters`)
  return changing(fields, (value, name) => {
    if (typeof value === "string") return change(value, name)
    if (!Array.isArray(value)) {
      return isText(value) ? change(String(value), name) : new Refusal(`the field ${name} is not a text`)
    }
    const changed: Array<unknown> = []
    for (const item of value) {
      const text = typeof item === "number" ? String(item) : item
      const next = typeof text === "string" ? change(text, name) : text
      if (next instanceof Refusal) return next
      changed.push(next)
    }
    return changed
  })
}

const joining = (separator: string) => (value: unknown, name: string) => {
  if (!Array.isArray(value)) return new Refusal(`the field ${name} is not a list`)
  if (value.some((item: unknown) => typeof item === "object" && item !== null)) {
    return new Refusal(`the field ${name} has a list or an object in it`)
  }
  return value.join(separator)
}

const splitting = (separator: string) => (value: unknown, name: string) =>
  isText(value) ? String(value).split(separator) : new Refusal(`the field ${name} is not a text`)

const converting = (type: Parameters<typeof conversion>[0]) => {
  const convert = conversion(type)
  return (value: unknown, name: string) => {
    const converted = convert(value)
    if (converted !== undefined) return converted
    const text = isText(value) ? String(value) : JSON.stringify(value)
    return new Refusal(`the field ${name} is not of type ${type}: ${text.slice(0, 60)}`)
  }
}

const merging = ({ into, from }: NonNullable<Operation["merge"]>): Step => {
  const target = new Place(into)
  const places = [target, ...from.map((name) => new Place(name))]
  return (event) => {
    const values = places.flatMap((place) => {
      const value = place.read(event)
      return value === undefined || value === null ? [] : [{ name: place.name, value }]
    })
    const merged = mergedValues(values, into)
    if (merged instanceof Refusal) return merged.reason
    return merged === undefined || target.write(event, merged) ? event : inTheWay(target)
  }
}

/** Changes an object: a field, or the record itself. */
const shaping = (field: string | undefined, shape: (object: Fields) => Fields | Refusal): Step => {
  if (field !== undefined) {
    return changing([field], (value) =>
      Predicate.isObject(value) ? shape(value) : new Refusal(`the field ${field} is not an object`)
    )
  }
  return (event) => {
    const { [sourceField]: place, ...rest } = event
    const isPlaced = isLineSource(place)
    const shaped = shape(isPlaced ? rest : event)
    if (shaped instanceof Refusal) return shaped.reason
    // Where a record is from is one value.
    return isPlaced ? { ...shaped, [sourceField]: place } : shaped
  }
}

type Given = { readonly [Name in (typeof operationNames)[number]]-?: NonNullable<Operation[Name]> }

/** How each operation is done, by its name. */
const makers: { readonly [Name in keyof Given]: (given: Given[Name]) => Step } = {
  rename: (members) => each(members, (from, to) => moving(from, to)),
  copy: (members) => each(members, (from, to) => moving(from, to, true)),
  move: ({ fields, to }) => {
    const { path } = new Place(to)
    const nameOf = (field: string) => [...path, new Place(field).path.at(-1)].map((part) => `[${part}]`).join("")
    return each(Object.fromEntries(fields.map((field) => [field, nameOf(field)])), (from, to) => moving(from, to))
  },
  remove: (names) => {
    const places = names.map((name) => new Place(name))
    return (event) => {
      for (const place of places) place.remove(event)
      return event
    }
  },
  keep: keeping,
  set: (members) => each(members, (name, value) => setting(name, value, false)),
  default: (members) => each(members, (name, value) => setting(name, value, true)),
  convert: (members) => each(members, (name, type) => changing([name], converting(type))),
  split: (members) => each(members, (name, separator) => changing([name], splitting(separator))),
  join: (members) => each(members, (name, separator) => changing([name], joining(separator))),
  lowercase: (names) => ofTexts(names, transforms.lowercase),
  uppercase: (names) => ofTexts(names, transforms.uppercase),
  capitalize: (names) => ofTexts(names, transforms.capitalize),
  trim: (names) => ofTexts(names, (text) => text.trim()),
  replace: replacing,
  merge: merging,
  flatten: ({ field, separator }) => shaping(field, (object) => flattened(object, separator)),
  expand: ({ field, separator }) => shaping(field, (object) => expanded(object, separator))
}

/** The names of the operations that an entry of the list has; it should be one. */
export const namesOf = (operation: Operation) => operationNames.filter((name) => operation[name] !== undefined)

const stepOf = <Name extends keyof Given>(operation: Partial<Given>, name: Name): Step => {
  const given = operation[name]
  return given === undefined ? (event) => event : makers[name](given)
}

/** The operations that remove fields. */
const removing: ReadonlySet<string> = new Set(["rename", "move", "remove"] satisfies ReadonlyArray<keyof Given>)

/** Operations that add no field. */
const changes: ReadonlySet<string> = new Set([
  "remove",
  "convert",
  "split",
  "join",
  "lowercase",
  "uppercase",
  "capitalize",
  "trim",
  "replace"
] satisfies ReadonlyArray<keyof Given>)

/**
 * The fields that the first operations may add, in the order in which they would, for a copy that has a place for each:
 * V8 adds members one by one more slowly. A member of undefined is a removed one.
 */
const newFields = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const operation of operations) {
    const { rename = {}, copy = {}, set = {} } = operation
    const added = [...Object.values(rename), ...Object.values(copy), ...Object.keys(set)]
    const isKnown = namesOf(operation).every((name) => changes.has(name) || ["rename", "copy", "set"].includes(name))
    if (!isKnown || added.some((name) => fieldPath(name).length > 1 || name.startsWith("[") || names.includes(name)))
      break
    names.push(...added)
  }
  // Operations that look at all members would find these.
  return operations.some(({ keep, flatten, expand }) => (keep ?? flatten ?? expand) !== undefined) ? [] : names
}

/** Does the operations to a record, which is not changed. Returns another one, or why it fails. */
export const mutation = (operations: ReadonlyArray<Operation>): ((event: Fields) => Fields | string) => {
  const named = operations.flatMap((operation, at) => namesOf(operation).map((name) => ({ operation, name, at })))
  const steps = named.map(({ operation, name }): Step => {
    const step = stepOf(operation, name)
    const holds = operation.where === undefined ? undefined : predicate(operation.where)
    return holds === undefined ? step : (event) => (holds(event) ? step(event) : event)
  })
  const compacted = named.some(({ name }) => removing.has(name)) ? compacting() : undefined
  const copied = fieldAdder(compacted === undefined ? [] : newFields(operations))
  return (event) => {
    let next = copied(event)
    for (let at = 0; at < steps.length; at++) {
      const made = steps[at]!(next)
      if (typeof made === "string") return `operation ${named[at]!.at + 1} (${named[at]!.name}): ${made}`
      next = made
    }
    return keepSource(event, compacted === undefined ? next : compacted(next))
  }
}
