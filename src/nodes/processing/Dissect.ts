import { Effect, Result, Schema } from "effect"
import { compile } from "../../languages/dissect/Dissector.ts"
import { type Fields, fieldPath, getPath, refusedSegment } from "../../languages/FieldPath.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { merge } from "./Parsed.ts"

const settings = Schema.Struct({
  field: Schema.String.check(Schema.isNonEmpty())
    .annotate({ description: "Field with the text; a nested one is written `a.b` or `[a][b]`.", default: "message" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("message"))),
  pattern: Schema.String.annotate({ description: "Dissect pattern, for example `%{clientip} %{+ts} %{+ts} %{msg}`." }),
  append_separator: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Separator of the parts that `%{+key}` joins. Default: none; in the dialects `logstash` and `beats`, the literal before the part."
    })
  ),
  dialect: Schema.Literals(["elasticsearch", "logstash", "beats"])
    .annotate({ description: "Dialect of the pattern, which decides special cases.", default: "elasticsearch" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("elasticsearch" as const))),
  target: Schema.optionalKey(
    Schema.String.annotate({ description: "Field that receives the keys. Default: the record itself." })
  ),
  ignore_missing: Schema.Boolean.annotate({
    description: "Pass on records without the field unchanged instead of failing them.",
    default: false
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})
type Settings = typeof settings.Type

const compiled = ({ pattern, append_separator, dialect }: Settings) =>
  compile(pattern, { dialect, ...(append_separator === undefined ? {} : { appendSeparator: append_separator }) })

export const dissect = node({
  type: "dissect",
  kind: "processing",
  description: "Cuts a text field at fixed delimiters and adds the parts to the record. Faster than grok.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "message", pattern: "%{clientip} %{ident} %{auth} [%{timestamp}] %{rest}" },
  check: (settings) => {
    const refused = settings.target === undefined ? undefined : refusedSegment(fieldPath(settings.target))
    const target = refused === undefined ? [] : [{ path: ["target"], detail: `${refused} cannot be a field` }]
    const result = compiled(settings)
    if (Result.isSuccess(result)) return target
    const { detail, line, column } = result.failure
    return [...target, { path: ["pattern"], detail, line, column }]
  },
  start: (settings, context) => {
    const { match } = Result.getOrThrow(compiled(settings))
    const { field, ignore_missing } = settings
    const source = fieldPath(field)
    const below = settings.target === undefined ? [] : fieldPath(settings.target)
    const failures = new Failures(context)
    const place = (fields: Fields): Event => below.reduceRight<Event>((inner, key) => ({ [key]: inner }), fields)
    return {
      process: async (batch, emit) => {
        const parsed: Array<Event> = []
        for (const event of batch) {
          const value = getPath(event as Fields, source)
          const missing = value === undefined || value === null
          if (missing && ignore_missing) parsed.push(event)
          else if (missing) failures.add(event, `the field ${field} is missing`)
          else if (typeof value === "object") failures.add(event, `the field ${field} is not a text`)
          else {
            const found = match(String(value), event as Fields)
            if (found === undefined) failures.add(event, `the pattern does not match the field ${field}`)
            else parsed.push(merge(event, place(found.fields)))
          }
        }
        await emit(chosen, parsed)
        await failures.send(emit)
      }
    }
  }
})
