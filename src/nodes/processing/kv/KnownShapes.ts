import type { Fields } from "../../../languages/FieldPath.ts"
import { extender } from "../../../languages/Generated.ts"
import { sourceField } from "../../records/Source.ts"
import type { KvSettings } from "./KvSettings.ts"
import { readPairs } from "./Pairs.ts"

/** Maximum number of shapes. Each has code of its own, and is tried for each text. */
const maxShapes = 8
/** Number of texts with the same keys after which these are a shape. */
const often = 3
/** Number of texts that are looked at for shapes: what has many different keys would be looked at for nothing. */
const maxLooks = 2000

/** Keys that are written without quotes, and mean the same wherever they are. */
const simpleKey = /^[\w.@-]+$/

interface Shape {
  /** What is before each value: the key and the separator. */
  readonly starts: ReadonlyArray<string>
  readonly extend: (event: Fields, values: ReadonlyArray<unknown>) => Fields
}

/** Whether a character of ASCII is no blank, which may not belong to a value. */
const isVisible = (unit: number): boolean => unit > 32 && unit < 127

/** Whether a value may begin with the character as it stands: it opens neither quotes nor brackets. */
const isPlain = (unit: number): boolean =>
  isVisible(unit) && unit !== 34 && unit !== 39 && unit !== 40 && unit !== 60 && unit !== 91

/**
 * Reads texts with the keys of earlier ones: most programs write the same keys in the same order, so only the values have
 * to be found. Returns the event with the fields, or undefined for any other text.
 */
export class KnownShapes {
  readonly #pair: string
  readonly #value: string
  readonly #read: ReturnType<typeof readPairs>
  readonly #seen = new Map<string, number>()
  #shapes: Array<Shape> = []
  #looks = 0

  /** The shapes for these settings; undefined where keys or values are not taken as they are written. */
  static of(settings: KvSettings): KnownShapes | undefined {
    const { field_split, value_split, recursive, default_keys, prefix, include_keys, exclude_keys } = settings
    const isChanged = [
      settings.field_split_pattern,
      settings.value_split_pattern,
      settings.trim_key,
      settings.trim_value,
      settings.remove_char_key,
      settings.remove_char_value,
      settings.transform_key,
      settings.transform_value,
      settings.target,
      default_keys,
      prefix,
      include_keys,
      exclude_keys
    ].some((setting) => setting !== undefined)
    const isSimple = field_split.length === 1 && value_split.length === 1 && !simpleKey.test(field_split + value_split)
    return isChanged || recursive || !isSimple ? undefined : new KnownShapes(settings)
  }

  private constructor({ field_split, value_split, include_brackets, whitespace }: KvSettings) {
    this.#pair = field_split
    this.#value = value_split
    this.#read = readPairs({
      pairs: { characters: field_split },
      values: { characters: value_split },
      brackets: include_brackets,
      isStrict: whitespace === "strict"
    })
  }

  extend(text: string, event: Fields): Fields | undefined {
    // A backslash may be an escape.
    if (text.includes("\\")) return undefined
    for (let at = 0; at < this.#shapes.length; at++) {
      const shape = this.#shapes[at]!
      const values = this.#values(text, shape.starts)
      if (values !== undefined) return shape.extend(event, values)
    }
    if (this.#looks < maxLooks) this.#look(text)
    return undefined
  }

  #values(text: string, starts: ReadonlyArray<string>): ReadonlyArray<string> | undefined {
    const values: Array<string> = []
    let at = 0
    for (let index = 0; index < starts.length; index++) {
      const start = starts[index]!
      if (!text.startsWith(start, at)) return undefined
      const from = at + start.length
      let end: number
      if (text.charCodeAt(from) === 34) {
        const close = text.indexOf('"', from + 1)
        end = close + 1
        // An empty value may be left out.
        if (close <= from + 1 || (end !== text.length && text[end] !== this.#pair)) return undefined
        values.push(text.slice(from + 1, close))
      } else {
        const found = text.indexOf(this.#pair, from)
        end = found === -1 ? text.length : found
        if (end === from || !isPlain(text.charCodeAt(from)) || !isVisible(text.charCodeAt(end - 1))) return undefined
        values.push(text.slice(from, end))
      }
      at = end + 1
    }
    return at === text.length + 1 ? values : undefined
  }

  /** Makes a shape of the text's keys when they were seen often. */
  #look(text: string): void {
    this.#looks++
    const keys = this.#read(text).map(([key]) => key)
    const isSimple =
      keys.length > 0 &&
      new Set(keys).size === keys.length &&
      keys.every((key) => simpleKey.test(key) && key !== sourceField && !(key in Object.prototype))
    if (!isSimple || this.#shapes.length >= maxShapes) return
    const name = keys.join("\0")
    const count = (this.#seen.get(name) ?? 0) + 1
    this.#seen.set(name, count)
    if (count === often) this.#shapes.push({ starts: keys.map((key) => key + this.#value), extend: extender(keys) })
  }
}
