import { Predicate, Schema } from "effect"
import { type Fields, fieldPath, getPath, putPath } from "../../languages/FieldPath.ts"
import { named, sameFields } from "../FieldUse.ts"
import { chosen, type Event, errors, type NodeContext, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { withSourceOf } from "../records/Source.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName } from "../settings/SettingTexts.ts"
import { setMember } from "./mutate/Place.ts"
import { detector, kinds } from "./pii/Detectors.ts"
import { hmac } from "./pii/Hmac.ts"

/** Maximum nesting of a record, as inputs take it. */
const maxDepth = 200

const settings = Schema.Struct({
  action: Schema.Literals(["hash", "redact", "truncate", "mask"]).annotate({
    description:
      "`hash`: HMAC-SHA-256 with `key`, as 64 hexadecimal digits, so that equal values stay equal. `redact`: " +
      "`replacement`. `truncate`: the first `keep` characters. `mask`: `*` for all but the last `keep` characters, and for " +
      "all of a value that has no more."
  }),
  fields: Schema.optionalKey(
    Schema.NonEmptyArray(FieldName.check(Schema.isNonEmpty())).annotate({
      description: "Fields to change, with all values inside of them. Default: all fields; then `detect` is needed."
    })
  ),
  detect: Schema.optionalKey(
    Schema.NonEmptyArray(Schema.Literals(kinds)).annotate({
      description:
        "What to look for in texts and numbers: only that is changed. Cards and IBANs are known by their checksums, " +
        "phone numbers by a plus. Default: whole values are changed."
    })
  ),
  key: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(16), Schema.isMaxLength(1000)).annotate({
      description: "Secret key of `hash`. Whoever has it can find a value by trying."
    })
  ),
  keep: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })).pipe(
    withDefault(4, "Number of characters that `truncate` and `mask` keep.")
  ),
  replacement: Schema.String.check(Schema.isMaxLength(100)).pipe(withDefault("[redacted]", "Text of `redact`."))
})
type Settings = typeof settings.Type

const check = ({ action, fields, detect, key }: Settings): ReadonlyArray<SettingsIssue> => [
  ...(fields === undefined && detect === undefined
    ? [{ path: [], detail: "Expected fields, detect or both: nothing says what to change" }]
    : []),
  ...((action === "hash") === (key === undefined)
    ? [{ path: ["key"], detail: key === undefined ? "hash needs a key" : "Only hash has a key" }]
    : [])
]

const changing = (
  { action, key, keep, replacement }: Settings,
  { sha256 }: NodeContext
): ((text: string) => string) => {
  switch (action) {
    case "hash":
      if (sha256 === undefined || key === undefined) throw new Error("hash needs a key, and a run that can hash")
      return hmac(sha256, key)
    case "redact":
      return () => replacement
    case "truncate":
      return (text) => [...text.slice(0, 2 * keep)].slice(0, keep).join("")
    case "mask":
      return (text) => {
        const characters = [...text]
        const hidden = characters.length > keep ? characters.length - keep : characters.length
        return "*".repeat(hidden) + characters.slice(hidden).join("")
      }
  }
}

/** Changes the parts of a text that are found; the same text when there is none. */
const changingParts = (change: (text: string) => string, detect: NonNullable<Settings["detect"]>) => {
  const find = detector(detect)
  return (text: string): string => {
    let changed = ""
    let end = 0
    for (const { from, to } of find(text)) {
      changed += text.slice(end, from) + change(text.slice(from, to))
      end = to
    }
    return end === 0 ? text : changed + text.slice(end)
  }
}

class TooDeep extends Error {}

/** Changes the scalars in a value; the same value when nothing changes. */
const within = (value: unknown, change: (scalar: string) => string, depth = 0): unknown => {
  if (typeof value !== "object") {
    const text = String(value)
    const changed = change(text)
    return changed === text ? value : changed
  }
  if (value === null) return null
  if (depth >= maxDepth) throw new TooDeep()
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => within(item, change, depth + 1))
    return items.every((item, at) => Object.is(item, value[at])) ? value : items
  }
  if (!Predicate.isObject(value)) return value
  let copy: Fields | undefined
  for (const name of Object.keys(value)) {
    const inner = value[name]
    const changed = within(inner, change, depth + 1)
    if (Object.is(changed, inner)) continue
    copy ??= { ...value }
    setMember(copy, name, changed)
  }
  return copy ?? value
}

export const pii = node({
  type: "pii",
  kind: "processing",
  description:
    "Hides personal data in values: whole fields, or e-mail addresses, IP addresses, numbers of cards and accounts, and " +
    "phone numbers in texts. Names of fields are not changed.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { action: "mask", fields: ["message"], detect: ["email", "card"] },
  check,
  fields: ({ fields }) => ({ ...sameFields(named(fields, ["fields"])), isWhole: fields === undefined }),
  start: (given, context) => {
    const whole = changing(given, context)
    const change = given.detect === undefined ? whole : changingParts(whole, given.detect)
    const paths = given.fields?.map(fieldPath)
    const failures = new Failures(context)
    const one = (event: Event): Event => {
      if (paths === undefined) return within(event, change) as Event
      let copy: Fields | undefined
      for (const path of paths) {
        const value = getPath(copy ?? event, path)
        if (value === undefined) continue
        const changed = within(value, change)
        if (Object.is(changed, value)) continue
        copy ??= { ...event }
        putPath(copy, path, changed)
      }
      return copy ?? event
    }
    return {
      process: async (batch, emit) => {
        const hidden: Array<Event> = []
        for (const event of batch) {
          try {
            hidden.push(one(event))
          } catch (cause) {
            if (!(cause instanceof TooDeep)) throw cause
            // The record may hold personal data, so only the reason and the record's source go on.
            failures.add(one(withSourceOf(event, {})), `the record is nested deeper than ${maxDepth} levels`)
          }
        }
        await emit(chosen, hidden)
        await failures.send(emit)
      }
    }
  }
})
