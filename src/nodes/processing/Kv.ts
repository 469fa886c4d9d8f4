import { Effect, Schema } from "effect"
import { type Fields, refusedSegment } from "../../languages/FieldPath.ts"
import { chosen, errors, node } from "../Node.ts"
import { decorationFaults, decorationSettings } from "./Decorated.ts"
import { readPairs } from "./kv/Pairs.ts"
import { parsedSettings, parsing, targetFaults } from "./Parsed.ts"

const text = (description: string, otherwise: string) =>
  Schema.String.check(Schema.isNonEmpty())
    .annotate({ description, default: otherwise })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(otherwise)))
const characters = (description: string) =>
  Schema.optionalKey(Schema.String.check(Schema.isNonEmpty()).annotate({ description }))
const keys = (description: string) => Schema.optionalKey(Schema.Array(Schema.String).annotate({ description }))
const truth = (description: string, otherwise: boolean) =>
  Schema.Boolean.annotate({ description, default: otherwise }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

const settings = Schema.Struct({
  ...parsedSettings,
  field_split: text("Separators of pairs; each character is one.", " "),
  value_split: text("Separators of key and value; each character is one.", "="),
  include_keys: keys("Add only these keys. Default: all."),
  exclude_keys: keys("Do not add these keys."),
  default_keys: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Values of keys that are missing in the text."
    })
  ),
  prefix: Schema.optionalKey(Schema.String.annotate({ description: "Prefix of every key." })),
  trim_key: characters("Characters that are removed from both ends of keys."),
  trim_value: characters("Characters that are removed from both ends of values."),
  include_brackets: truth("Remove `(…)`, `[…]` and `<…>` around values, which may contain blanks.", true),
  allow_duplicate_values: truth("Keep repeated equal values of a key.", true),
  allow_empty_values: truth("Add keys whose value is empty.", false),
  ...decorationSettings
})

/** Maximum number of keys whose field names are cached: logs have few keys, but hostile input may have any number. */
const maxNames = 1000

export const kv = node({
  type: "kv",
  kind: "processing",
  description:
    "Parses `key=value` pairs in a text field. A value may be quoted, with backslash escapes; the values of a repeated " +
    "key become a list. Words without a separator are ignored.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", field_split: " ", value_split: "=", exclude_keys: ["ts"] },
  check: ({ target, prefix, default_keys = {}, ...settings }) => [
    ...targetFaults("target", target),
    ...decorationFaults(settings),
    ...Object.keys(default_keys).flatMap((key) => {
      const refused = refusedSegment([`${prefix ?? ""}${key}`])
      return refused === undefined ? [] : [{ path: ["default_keys", key], detail: `${refused} cannot be a field` }]
    })
  ],
  start: (settings, context) => {
    const { prefix = "", default_keys = {}, include_keys, exclude_keys = [] } = settings
    const included = include_keys === undefined ? undefined : new Set(include_keys)
    const excluded = new Set(exclude_keys)
    const read = readPairs({
      pairEnds: settings.field_split,
      equals: settings.value_split,
      brackets: settings.include_brackets,
      trimKey: settings.trim_key ?? "",
      trimValue: settings.trim_value ?? ""
    })
    /** The field names of the keys; undefined for keys that are not added. */
    const names = new Map<string, string | undefined>()
    const nameOf = (key: string): string | undefined => {
      if (names.has(key)) return names.get(key)
      const isLeft = excluded.has(key) || included?.has(key) === false || refusedSegment([prefix + key]) !== undefined
      const name = isLeft ? undefined : prefix + key
      if (names.size < maxNames) names.set(key, name)
      return name
    }
    return parsing(settings, context, (text) => {
      const fields: Fields = {}
      let lists: Map<string, { readonly values: Array<string>; readonly seen: Set<string> }> | undefined
      for (const [key, value] of read(text)) {
        if (value === "" && !settings.allow_empty_values) continue
        const name = nameOf(key)
        if (name === undefined) continue
        if (!Object.hasOwn(fields, name)) {
          fields[name] = value
          continue
        }
        let list = lists?.get(name)
        if (list === undefined) {
          const first = String(fields[name])
          list = { values: [first], seen: new Set([first]) }
          lists = (lists ?? new Map()).set(name, list)
        }
        if (!settings.allow_duplicate_values && list.seen.has(value)) continue
        if (!settings.allow_duplicate_values) list.seen.add(value)
        list.values.push(value)
        fields[name] = list.values
      }
      for (const [key, value] of Object.entries(default_keys)) {
        if (!Object.hasOwn(fields, prefix + key)) fields[prefix + key] = value
      }
      return fields
    })
  }
})
