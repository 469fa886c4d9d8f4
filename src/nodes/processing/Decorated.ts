import { Schema } from "effect"
import { type Decorations, list } from "../../languages/Decorate.ts"
import { fieldPath, refusedSegment } from "../../languages/FieldPath.ts"
import type { SettingsIssue } from "../Node.ts"

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const texts = (description: string) => Schema.optionalKey(Texts.annotate({ description }))

/** Settings of every parsing node: what it does to a record that it parsed, in this order. */
export const decorationSettings = {
  add_field: Schema.optionalKey(
    Schema.Record(Schema.String, Texts).annotate({
      description: "Fields to add to a record that was parsed; names and values may contain `%{field}`."
    })
  ),
  remove_field: texts("Fields to remove from a record that was parsed."),
  add_tag: texts("Tags to add to a record that was parsed."),
  remove_tag: texts("Tags to remove from a record that was parsed.")
}

/** The names of fields that must not be written or removed. */
export const decorationFaults = ({ add_field = {}, remove_field }: Decorations): ReadonlyArray<SettingsIssue> => {
  const fault = (name: string, path: SettingsIssue["path"]): ReadonlyArray<SettingsIssue> => {
    const refused = refusedSegment(fieldPath(name))
    return refused === undefined ? [] : [{ path, detail: `${refused} cannot be a field` }]
  }
  return [
    ...Object.keys(add_field).flatMap((name) => fault(name, ["add_field", name])),
    ...list(remove_field).flatMap((name, at) =>
      fault(name, typeof remove_field === "string" ? ["remove_field"] : ["remove_field", at])
    )
  ]
}
