import { Schema } from "effect"
import { FieldName, fieldsOf } from "./SettingTexts.ts"

/** One text or several, and a setting that accepts them. */
export const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
export const texts = (description: string) => Schema.optionalKey(Texts.annotate({ description }))

/** Settings of every parsing node: what it does to a record that it parsed, in this order. */
export const decorationSettings = {
  add_field: Schema.optionalKey(
    fieldsOf(Texts).annotate({
      description: "Fields to add to a record that was parsed; names and values may contain `%{field}`."
    })
  ),
  remove_field: Schema.optionalKey(
    Schema.Union([FieldName, Schema.Array(FieldName)]).annotate({
      description: "Fields to remove from a record that was parsed."
    })
  ),
  add_tag: texts("Tags to add to a record that was parsed."),
  remove_tag: texts("Tags to remove from a record that was parsed.")
}
