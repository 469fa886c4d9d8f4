import { Predicate, Schema } from "effect"
import type { Fields } from "../../languages/FieldPath.ts"
import { isDeeperThan, parseJson } from "../../languages/json/JsonValue.ts"
import { parsedFields } from "../FieldUse.ts"
import { chosen, errors, node } from "../Node.ts"
import { decorationSettings } from "../settings/DecorationSettings.ts"
import { parsedSettings, parsing, Unreadable } from "./ParsingNode.ts"

/** Maximum nesting of a record, including its own level. */
const maxDepth = 200

export const json = node({
  type: "json",
  kind: "processing",
  effect: "parses",
  description:
    "Parses the JSON in a text field. An object's members are added to the record, or to the field `target`; any other " +
    "value needs a `target`. Numbers that JavaScript would round become strings with all their digits.",
  runtimes: ["stream"],
  settings: Schema.Struct({ ...parsedSettings, ...decorationSettings }),
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", target: "payload" },
  fields: (settings) => parsedFields(settings, undefined),
  start: (settings, context) =>
    parsing(settings, context, (text) => {
      let value: unknown
      try {
        value = parseJson(text)
      } catch {
        throw new Unreadable(`the field ${settings.field} is not JSON`)
      }
      if (text.length > 2 * maxDepth && isDeeperThan(value, maxDepth)) {
        throw new Unreadable(`the JSON in ${settings.field} is nested deeper than ${maxDepth} levels`)
      }
      if (settings.target !== undefined || Predicate.isObject(value)) return value as Fields
      throw new Unreadable(`the JSON in ${settings.field} is not an object; set a target for it`)
    })
})
