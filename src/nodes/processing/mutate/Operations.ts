import { Schema } from "effect"
import { withDefault } from "../../settings/SettingsSchema.ts"
import { FieldName, fieldsOf } from "../../settings/SettingTexts.ts"
import { types } from "./Convert.ts"

const field = FieldName.check(Schema.isNonEmpty())
const fields = (description: string) => Schema.optionalKey(Schema.NonEmptyArray(field).annotate({ description }))
const separator = Schema.NonEmptyString.pipe(withDefault("_", "Text between the names."))

/** The operations by their names. Each declares what it takes; all are optional, because an operation is one of them. */
const operations = {
  rename: Schema.optionalKey(
    fieldsOf(field).annotate({ description: "Fields and their new names, which may be in other objects." })
  ),
  copy: Schema.optionalKey(fieldsOf(field).annotate({ description: "Fields and the names of their copies." })),
  move: Schema.optionalKey(
    Schema.Struct({
      fields: Schema.NonEmptyArray(field).annotate({ description: "Fields to move; they keep their last names." }),
      to: field.annotate({ description: "Field whose object receives them." })
    }).annotate({ description: "Puts fields into an object." })
  ),
  remove: fields("Fields to remove."),
  keep: fields("Fields to keep; all others are removed."),
  set: Schema.optionalKey(
    fieldsOf(Schema.Json).annotate({ description: "Fields and their values; a text may contain `%{field}`." })
  ),
  default: Schema.optionalKey(
    fieldsOf(Schema.Json).annotate({ description: "As `set`, for fields that are missing or null." })
  ),
  convert: Schema.optionalKey(
    fieldsOf(Schema.Literals(types)).annotate({
      description: "Fields and their types: `integer`, `float`, `boolean` or `string`."
    })
  ),
  split: Schema.optionalKey(
    fieldsOf(Schema.NonEmptyString).annotate({ description: "Texts that become lists, and their separators." })
  ),
  join: Schema.optionalKey(
    fieldsOf(Schema.String).annotate({ description: "Lists that become texts, and their separators." })
  ),
  lowercase: fields("Texts in lower case."),
  uppercase: fields("Texts in upper case."),
  capitalize: fields("Texts whose first letter becomes upper case and the others lower case."),
  trim: fields("Texts whose blanks at both ends are removed."),
  replace: Schema.optionalKey(
    Schema.Struct({
      fields: Schema.NonEmptyArray(field).annotate({ description: "Texts to change." }),
      pattern: Schema.NonEmptyString.annotate({
        description: "Regular expression of JavaScript; every match is replaced."
      }),
      with: Schema.String.check(Schema.isMaxLength(10_000)).annotate({
        description: "Text in place of each match, with `$1`, `$<name>` and `$&` as in JavaScript; `$$` is a dollar."
      })
    }).annotate({ description: "Replaces the matches of a regular expression." })
  ),
  merge: Schema.optionalKey(
    Schema.Struct({
      into: field.annotate({ description: "Field that receives the values." }),
      from: Schema.NonEmptyArray(field).annotate({ description: "Fields with the values; they stay as they are." })
    }).annotate({ description: "Appends values to a list, or the members of objects to an object." })
  ),
  flatten: Schema.optionalKey(
    Schema.Struct({
      field: Schema.optionalKey(field.annotate({ description: "The object. Default: the record itself." })),
      separator
    }).annotate({ description: "Replaces objects inside of an object by fields such as `user_name`." })
  ),
  expand: Schema.optionalKey(
    Schema.Struct({
      field: Schema.optionalKey(field.annotate({ description: "The object. Default: the record itself." })),
      separator
    }).annotate({ description: "Replaces fields such as `user_name` by objects." })
  )
}

export const operationNames = Object.keys(operations) as ReadonlyArray<keyof typeof operations>

export const Operation = Schema.Struct({
  ...operations,
  where: Schema.optionalKey(
    Schema.String.annotate({ description: "Condition of the operation: an expression, as in `filter`." })
  )
})
export type Operation = typeof Operation.Type
