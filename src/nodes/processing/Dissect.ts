import { Result, Schema } from "effect"
import { compile, compileExtend } from "../../languages/dissect/Dissector.ts"
import { readPattern } from "../../languages/dissect/DissectPattern.ts"
import { anyFields, dotted, parsedFields } from "../FieldUse.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { sourceField } from "../records/Source.ts"
import { decorationSettings } from "../settings/DecorationSettings.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { parsedSettings, parsing, Unreadable } from "./ParsingNode.ts"

const settings = Schema.Struct({
  field: parsedSettings.field,
  pattern: Schema.String.annotate({ description: "Dissect pattern, for example `%{clientip} %{+ts} %{+ts} %{msg}`." }),
  append_separator: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Separator of the parts that `%{+key}` joins. Default: none; in the dialects `logstash` and `beats`, the literal before the part."
    })
  ),
  dialect: Schema.Literals(["elasticsearch", "logstash", "beats"]).pipe(
    withDefault("elasticsearch", "Dialect of the pattern, which decides special cases.")
  ),
  target: parsedSettings.target,
  ignore_missing: parsedSettings.ignore_missing,
  ...decorationSettings
})
type Settings = typeof settings.Type

const compiled = ({ pattern, append_separator, dialect }: Settings) =>
  compile(pattern, { dialect, ...(append_separator === undefined ? {} : { appendSeparator: append_separator }) })

export const dissect = node({
  type: "dissect",
  kind: "processing",
  effect: "parses",
  description: "Cuts a text field at fixed delimiters and adds the parts to the record. Faster than grok.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", pattern: "%{clientip} %{ident} %{auth} [%{timestamp}] %{rest}" },
  check: (settings) => {
    const result = compiled(settings)
    if (Result.isSuccess(result)) return []
    const { detail, line, column } = result.failure
    return [{ path: ["pattern"], detail, line, column }]
  },
  fields: (settings) => {
    try {
      const keys = readPattern(settings.pattern, settings.dialect).parts.map(({ key }) => key)
      const isDynamic = keys.some(({ kind }) => kind === "name" || kind === "value")
      const names = keys.flatMap(({ kind, name }) => (kind === "skip" || name === "" ? [] : [dotted(name)]))
      return parsedFields(settings, isDynamic ? undefined : names)
    } catch {
      return anyFields
    }
  },
  start: (settings, context) => {
    const { match, explain } = Result.getOrThrow(compiled(settings))
    const extend = compileExtend(settings.pattern, { dialect: settings.dialect })
    const reason = `the pattern does not match the field ${settings.field}`
    const fault = (text: string) => new Unreadable(reason, () => explain(text))
    // A field of that name would replace where the record is from.
    if (extend !== undefined && settings.target === undefined && !settings.pattern.includes(sourceField)) {
      const parse = (text: string, event: Event) => extend(text, event) ?? fault(text)
      return parsing(settings, context, parse, { isWhole: true })
    }
    return parsing(settings, context, (text, event) => match(text, event)?.fields ?? fault(text))
  }
})
