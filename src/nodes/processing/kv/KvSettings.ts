import { Schema } from "effect"
import { decorationSettings } from "../../settings/DecorationSettings.ts"
import { withDefault } from "../../settings/SettingsSchema.ts"
import { parsedSettings } from "../ParsingNode.ts"

const text = (description: string, otherwise: string) =>
  Schema.String.check(Schema.isNonEmpty()).pipe(withDefault(otherwise, description))
const optional = (description: string) =>
  Schema.optionalKey(Schema.String.check(Schema.isNonEmpty()).annotate({ description }))
const keys = (description: string) => Schema.optionalKey(Schema.Array(Schema.String).annotate({ description }))
const truth = (description: string, otherwise: boolean) => Schema.Boolean.pipe(withDefault(otherwise, description))
const transform = (description: string) =>
  Schema.optionalKey(Schema.Literals(["lowercase", "uppercase", "capitalize"]).annotate({ description }))

export const kvSettings = Schema.Struct({
  ...parsedSettings,
  field_split: text("Separators of pairs; each character is one.", " "),
  field_split_pattern: optional(
    "Separator of pairs as a regular expression, for example `;\\s*` or `\\|\\|`. Replaces `field_split`."
  ),
  value_split: text("Separators of key and value; each character is one.", "="),
  value_split_pattern: optional(
    "Separator of key and value as a regular expression, for example `:\\s+`. Replaces `value_split`."
  ),
  whitespace: Schema.Literals(["lenient", "strict"]).pipe(
    withDefault(
      "lenient",
      "`lenient`: blanks around keys, values and separators do not count, so `a = 1` is a pair. `strict`: they do."
    )
  ),
  include_keys: keys("Add only these keys. Default: all. May contain `%{field}`."),
  exclude_keys: keys("Do not add these keys. May contain `%{field}`."),
  default_keys: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Values of keys that are missing in the text."
    })
  ),
  prefix: Schema.optionalKey(Schema.String.annotate({ description: "Prefix of every key. May contain `%{field}`." })),
  trim_key: optional("Characters that are removed from both ends of keys."),
  trim_value: optional("Characters that are removed from both ends of values."),
  remove_char_key: optional("Characters that are removed from keys wherever they are."),
  remove_char_value: optional("Characters that are removed from values wherever they are."),
  transform_key: transform("Changes the case of keys, before they are compared with `include_keys`."),
  transform_value: transform("Changes the case of values."),
  recursive: truth("Read pairs inside of values, too: such a value becomes an object.", false),
  include_brackets: truth("Remove `(…)`, `[…]` and `<…>` around values, which may contain blanks.", true),
  allow_duplicate_values: truth("Keep repeated equal values of a key.", true),
  allow_empty_values: truth("Add keys whose value is empty.", false),
  timeout_millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })).pipe(
    withDefault(1000, "Processor time in milliseconds for a record when separators are patterns; then it fails.")
  ),
  ...decorationSettings
})
export type KvSettings = typeof kvSettings.Type
