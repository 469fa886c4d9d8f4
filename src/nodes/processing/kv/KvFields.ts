import { interpolate } from "../../../languages/Decorations.ts"
import { type Fields, refusedSegment } from "../../../languages/FieldPath.ts"
import type { Event } from "../../Node.ts"
import type { KvSettings } from "./KvSettings.ts"
import { readPairs } from "./Pairs.ts"

/** Maximum number of keys whose field names are cached: logs have few keys, but hostile input may have any number. */
const maxNames = 1000

/** Maximum nesting of pairs in values. */
const maxDepth = 10

const trimmed = (text: string, characters: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && characters.includes(text[start]!)) start++
  while (end > start && characters.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

const without = (text: string, characters: string): string => {
  let kept = ""
  for (const character of text) if (!characters.includes(character)) kept += character
  return kept
}

/** How the case of a text is changed. */
export const transforms = {
  lowercase: (text: string) => text.toLowerCase(),
  uppercase: (text: string) => text.toUpperCase(),
  capitalize: (text: string) => {
    const [first = ""] = text
    return first.toUpperCase() + text.slice(first.length).toLowerCase()
  }
}

/** What happens to a key or a value, in this order; undefined when nothing does. */
const cleaning = (
  trim: string | undefined,
  remove: string | undefined,
  transform: keyof typeof transforms | undefined
): ((text: string) => string) | undefined => {
  const steps = [
    ...(trim === undefined ? [] : [(text: string) => trimmed(text, trim)]),
    ...(remove === undefined ? [] : [(text: string) => without(text, remove)]),
    ...(transform === undefined ? [] : [transforms[transform]])
  ]
  return steps.length === 0 ? undefined : (text) => steps.reduce((cleaned, step) => step(cleaned), text)
}

type Name = (key: string) => string | undefined

/** The field name of a key; undefined for keys that are not added. */
const naming = (prefix: string, included: ReadonlyArray<string> | undefined, excluded: ReadonlyArray<string>): Name => {
  const some = included === undefined || included.length === 0 ? undefined : new Set(included)
  const none = new Set(excluded)
  const names = new Map<string, string | undefined>()
  return (key) => {
    if (names.has(key)) return names.get(key)
    const isLeft = none.has(key) || some?.has(key) === false || refusedSegment([prefix + key]) !== undefined
    const name = isLeft ? undefined : prefix + key
    if (names.size < maxNames) names.set(key, name)
    return name
  }
}

/** Values of a key that came several times. */
interface Several {
  readonly values: Array<unknown>
  readonly seen: Set<string>
}

const keyOf = (value: unknown): string => (typeof value === "string" ? value : `\0${JSON.stringify(value)}`)

/** The fields of the pairs in a text; undefined when there are none. */
export const readFields = (settings: KvSettings): ((text: string, event: Event) => Fields | undefined) => {
  const { prefix = "", default_keys = {}, include_keys, exclude_keys = [] } = settings
  const { allow_empty_values: keepsEmpty, allow_duplicate_values: keepsDuplicates, recursive } = settings
  const read = readPairs({
    pairs: { characters: settings.field_split, pattern: settings.field_split_pattern },
    values: { characters: settings.value_split, pattern: settings.value_split_pattern },
    brackets: settings.include_brackets,
    isStrict: settings.whitespace === "strict"
  })
  const keyOfText = cleaning(settings.trim_key, settings.remove_char_key, settings.transform_key)
  const valueOfText = cleaning(settings.trim_value, settings.remove_char_value, settings.transform_value)

  const collect = (text: string, nameOf: Name, depth: number): Fields | undefined => {
    const pairs = read(text)
    if (pairs.length === 0) return undefined
    const fields: Fields = {}
    let isEmpty = true
    let lists: Map<string, Several> | undefined
    for (const [givenKey, given] of pairs) {
      const key = keyOfText === undefined ? givenKey : keyOfText(givenKey)
      const cleaned = valueOfText === undefined ? given : valueOfText(given)
      if (key === "" || (cleaned === "" && !keepsEmpty)) continue
      const name = nameOf(key)
      if (name === undefined) continue
      isEmpty = false
      const value: unknown =
        (recursive && depth < maxDepth ? collect(cleaned, nameOf, depth + 1) : undefined) ?? cleaned
      if (!Object.hasOwn(fields, name)) {
        fields[name] = value
        continue
      }
      let list = lists?.get(name)
      if (list === undefined) {
        const first = fields[name]!
        list = { values: [first], seen: new Set([keyOf(first)]) }
        lists = (lists ?? new Map()).set(name, list)
      }
      if (!keepsDuplicates) {
        if (list.seen.has(keyOf(value))) continue
        list.seen.add(keyOf(value))
      }
      list.values.push(value)
      fields[name] = list.values
    }
    return isEmpty ? undefined : fields
  }

  const isDynamic = [prefix, ...(include_keys ?? []), ...exclude_keys].some((one) => one.includes("%{"))
  const fixed = naming(prefix, include_keys, exclude_keys)
  const defaults = Object.entries(default_keys)
  return (text, event) => {
    const fill = (one: string) => interpolate(one, event)
    const start = isDynamic ? fill(prefix) : prefix
    const nameOf = isDynamic ? naming(start, include_keys?.map(fill), exclude_keys.map(fill)) : fixed
    const fields = collect(text, nameOf, 0)
    if (defaults.length === 0) return fields
    const filled = fields ?? {}
    for (const [key, value] of defaults) if (!Object.hasOwn(filled, start + key)) filled[start + key] = value
    return filled
  }
}
