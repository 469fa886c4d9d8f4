import { refusedSegment } from "../../languages/FieldPath.ts"
import { parsedFields } from "../FieldUse.ts"
import { chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { KnownShapes } from "./kv/KnownShapes.ts"
import { readFields } from "./kv/KvFields.ts"
import { type KvSettings, kvSettings } from "./kv/KvSettings.ts"
import { inTheWay, mergeInto, parsing, Unreadable, unchanged } from "./ParsingNode.ts"

const patternFaults = (settings: KvSettings): ReadonlyArray<SettingsIssue> =>
  (["field_split_pattern", "value_split_pattern"] as const).flatMap((name) => {
    const source = settings[name]
    if (source === undefined) return []
    try {
      const isEmpty = new RegExp(source, "mu").test("")
      return isEmpty ? [{ path: [name], detail: "The pattern matches an empty text: use + in place of *" }] : []
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.replace(/^.*: /s, "") : String(cause)
      return [{ path: [name], detail: `The regular expression does not compile: ${reason}` }]
    }
  })

/** A character that separates both pairs and values would hide every pair. */
const separatorFaults = (settings: KvSettings): ReadonlyArray<SettingsIssue> => {
  if (settings.field_split_pattern !== undefined || settings.value_split_pattern !== undefined) return []
  const both = [...settings.value_split].find((character) => settings.field_split.includes(character))
  if (both === undefined) return []
  const detail = `${JSON.stringify(both)} separates pairs already: take it out of field_split or value_split`
  return [{ path: ["value_split"], detail }]
}

export const kv = node({
  type: "kv",
  kind: "processing",
  effect: "parses",
  description:
    "Parses `key=value` pairs in a text field. A key or value may be in quotes, in which a backslash before a quote is " +
    "an escape; the values of a repeated key become a list. Words without a separator are ignored, and a record without " +
    "pairs passes as it is.",
  runtimes: ["stream"],
  settings: kvSettings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", field_split: " ", value_split: "=", exclude_keys: ["ts"] },
  check: (settings) => [
    ...patternFaults(settings),
    ...separatorFaults(settings),
    ...Object.keys(settings.default_keys ?? {}).flatMap((key) => {
      const refused = refusedSegment([`${settings.prefix ?? ""}${key}`])
      return refused === undefined ? [] : [{ path: ["default_keys", key], detail: `${refused} cannot be a field` }]
    })
  ],
  fields: (settings) => {
    const { include_keys: keys = [], default_keys = {}, prefix = "" } = settings
    const names = [...keys, ...Object.keys(default_keys)].map((key) => prefix + key)
    return parsedFields(settings, keys.length === 0 || names.some((name) => name.includes("%{")) ? undefined : names)
  },
  start: (settings, context) => {
    const read = readFields(settings)
    const known = KnownShapes.of(settings)
    const put = mergeInto(settings.target)
    const mayRunAway = settings.field_split_pattern !== undefined || settings.value_split_pattern !== undefined
    const parse = (text: string, event: Event) => {
      const extended = known?.extend(text, event)
      if (extended !== undefined) return extended
      const fields = read(text, event)
      if (fields === undefined) return unchanged
      return put(event, fields) ?? new Unreadable(inTheWay(settings.target))
    }
    return parsing(settings, context, parse, {
      millis: mayRunAway ? settings.timeout_millis : undefined,
      isWhole: true
    })
  }
})
