import { type Marked, TextFault } from "@flow-gateway/client/hjson"
import { type Change, changed, type Given, inserted, partsAt, removed, written } from "./hjsonChanges.ts"
import { type Dialect, elementsOf, isNested, keyOf, type Read, readOf, type Style, styleOf } from "./hjsonStyle.ts"
import type { Edited } from "./Notation.ts"
import { isObject, type Path } from "./schema.ts"

/** A value below keys: `["a", 0]` and 1 is `{ a: [1] }`. */
const nested = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => (typeof key === "number" ? [inner] : { [key]: inner }), value)

/** What a value is with another one at a path, or without it (undefined); undefined where that cannot be. */
const applied = (whole: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (Array.isArray(whole)) {
    const at = Number(key)
    if (!Number.isInteger(at) || at < 0 || at > whole.length) return undefined
    const own = at < whole.length ? applied(whole[at], rest, value) : nested(rest, value)
    return whole.toSpliced(at, 1, ...(own === undefined ? [] : [own]))
  }
  if (!isObject(whole)) return nested([key, ...rest], value)
  const own = Object.hasOwn(whole, key) ? applied(whole[key], rest, value) : nested(rest, value)
  if (own !== undefined) return { ...whole, [key]: own }
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== String(key)))
}

const isEqual = (one: unknown, other: unknown): boolean => {
  if (!isNested(one) || !isNested(other)) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(Reflect.get(one, key), Reflect.get(other, key)))
  )
}

type Step = (read: Read, style: Style) => ReadonlyArray<Change>

const partOf = (read: Read, path: Path): Marked => partsAt(read, path).at(-1)!

const taken =
  (path: Path, key: string | number): Step =>
  (read) => {
    const part = partOf(read, path)
    const index = elementsOf(part).findIndex((element) => String(element.key) === String(key))
    return index < 0 ? [] : removed(read, part, index)
  }

const put = (path: Path, index: number, given: ReadonlyArray<Given>): ReadonlyArray<Step> =>
  given.length === 0 ? [] : [(read, style) => inserted(read, partOf(read, path), index, given, style)]

const set =
  (path: Path, value: unknown): Step =>
  (read, style) => {
    const part = partOf(read, path)
    const inner = read.text.slice(part.mark.at + 1, part.mark.end - 1)
    const isFilling = isNested(value) && isNested(part.value) && Array.isArray(value) === Array.isArray(part.value)
    // Empty but for comments.
    const keepsComments = isFilling && elementsOf(part).length === 0 && inner.trim() !== ""
    return keepsComments ? inserted(read, part, 0, Object.entries(value), style) : written(read, path, value, style)
  }

const isFilled = (value: object): boolean => Object.keys(value).length > 0

/** The steps that make one value of another, and leave what both have. */
const stepsTo = (before: unknown, after: unknown, path: Path): ReadonlyArray<Step> => {
  if (isEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after) && isFilled(before) && isFilled(after)) {
    const least = Math.min(before.length, after.length)
    let head = 0
    while (head < least && isEqual(before[head], after[head])) head++
    let tail = 0
    while (tail < least - head && isEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++
    const shared = least - tail
    const gone = before.slice(shared, before.length - tail).map((_, at) => taken(path, shared + at))
    const added = after.slice(shared, after.length - tail).map((value, at): Given => [shared + at, value])
    const kept = before.slice(head, shared).flatMap((one, at) => stepsTo(one, after[head + at], [...path, head + at]))
    return [...kept, ...put(path, shared, added), ...gone.reverse()]
  }
  if (isObject(before) && isObject(after) && isFilled(before) && isFilled(after)) {
    const names = Object.keys(before)
    const [kept, gone] = [true, false].map((isKept) => names.filter((key) => Object.hasOwn(after, key) === isKept))
    const added = Object.entries(after).filter(([key]) => !Object.hasOwn(before, key))
    return [
      ...kept!.flatMap((key) => stepsTo(before[key], after[key], [...path, key])),
      ...put(path, names.length, added),
      ...gone!.map((key) => taken(path, key))
    ]
  }
  return [set(path, after)]
}

/** Steps up to which each is made for itself: a value with more differences is written whole. */
const mostSteps = 40

const done = (begin: Read, steps: ReadonlyArray<Step>): Read | undefined => {
  let read = begin
  for (const step of steps) {
    const next = readOf(changed(read.text, step(read, styleOf(read))), begin.dialect)
    if (next instanceof TextFault) return undefined
    read = next
  }
  return read
}

/**
 * Puts a value in the place of what stands at a path of a text in HJSON or JSON, or takes it away (undefined). The rest of
 * the text stays as it is. What comes of it is read again: where it does not say what it should, it is no edit.
 */
export const edited = (text: string, path: Path, value: unknown, dialect: Dialect): Edited => {
  const read = readOf(text, dialect)
  if (read instanceof TextFault) return undefined
  const parts = partsAt(read, path)
  const isThere = parts.length > path.length
  if (value === undefined && !isThere) return text
  // Settings that are gone leave no empty braces.
  if (value === undefined && path.at(-2) === "settings" && elementsOf(parts.at(-2)!).length === 1)
    return edited(text, path.slice(0, -1), undefined, dialect)
  const wanted = applied(read.value, path, value)
  if (wanted === undefined) return undefined
  const says = (steps: ReadonlyArray<Step>): Edited => {
    const made = done(read, steps)
    return made !== undefined && isEqual(made.value, wanted) ? made.text : undefined
  }
  if (value === undefined) return says([taken(path.slice(0, -1), path.at(-1)!)])
  // From the innermost part that is there already.
  const inner = path.slice(0, parts.length - 1)
  const next = inner.reduce<unknown>((whole, key) => Reflect.get(Object(whole), key), wanted)
  const steps = stepsTo(parts.at(-1)!.value, next, inner)
  const found = steps.length > mostSteps ? undefined : says(steps)
  // Only what is replaced loses its comments.
  return found ?? (isThere ? says([(one, style) => written(one, inner, next, style)]) : undefined)
}

const keyText = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s{}[\],:]+/y

/** Gives what stands at a path another key. */
export const keyed = (text: string, path: Path, key: string, dialect: Dialect): Edited => {
  const read = readOf(text, dialect)
  const { keyAt } = read instanceof TextFault ? {} : (partsAt(read, path)[path.length]?.mark ?? {})
  if (read instanceof TextFault || keyAt === undefined) return undefined
  keyText.lastIndex = keyAt
  const length = keyText.exec(text)?.[0].length ?? 0
  return text.slice(0, keyAt) + keyOf(key, styleOf(read)) + text.slice(keyAt + length)
}

/** Adds an item at the end of the list `dag`. */
export const withNode = (text: string, node: Readonly<Record<string, unknown>>, dialect: Dialect): Edited => {
  const begun = text.trim() === "" ? "{\n}\n" : text
  const read = readOf(begun, dialect)
  if (read instanceof TextFault || !isObject(read.value)) return undefined
  const dag = read.value["dag"] ?? []
  if (!Array.isArray(dag)) return undefined
  return edited(begun, ["dag", dag.length], node, dialect)
}
