import { Schema } from "effect"
import { DurationText, durationMillis, durationPattern } from "../languages/DurationText.ts"
import { expectedTimestamp, isTimestamp, timestampPattern } from "../languages/TimestampText.ts"

/** Maximum number of parameters of a flowline. */
export const maxParameters = 100
/** Maximum length of a text that is given for a parameter, in UTF-16 units. */
const maxParameterText = 16 * 1024
/** Maximum size of the parameters of an execution as JSON, in bytes. */
export const parameterBytes = 64 * 1024

/** The name of a parameter or variable: a letter, then at most 63 letters, digits and `_`. */
export const referableName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

const parameterTypes = ["string", "integer", "number", "boolean", "duration", "timestamp", "enum"] as const
type ParameterType = (typeof parameterTypes)[number]

/** A parameter as a flowline declares it. Which members a type has, {@link declarationFaults} knows. */
export const Parameter = Schema.Struct({
  type: Schema.Literals(parameterTypes),
  description: Schema.optionalKey(Schema.String),
  default: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number, Schema.Boolean])),
  required: Schema.optionalKey(Schema.Boolean),
  values: Schema.optionalKey(Schema.NonEmptyArray(Schema.String).check(Schema.isMaxLength(100))),
  pattern: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1000))),
  min: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])),
  max: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number]))
}).annotate({ identifier: "Parameter" })
export type Parameter = typeof Parameter.Type

/** The declared parameters by name. */
export const Parameters = Schema.Record(Schema.String, Parameter).annotate({ identifier: "Parameters" })
export type Parameters = typeof Parameters.Type

/** The values of parameters or variables by name. */
export type Values = Readonly<Record<string, unknown>>

/** What an execution was given and has found: it is kept with the execution, so that each attempt uses the same. */
export const KeptValues = Schema.Struct({
  parameters: Schema.Record(Schema.String, Schema.Unknown),
  variables: Schema.Record(Schema.String, Schema.Unknown),
  environment: Schema.optionalKey(Schema.String)
})
export type KeptValues = typeof KeptValues.Type

/** A fault of a declaration, with its path inside it. */
interface ParameterFault {
  readonly path: ReadonlyArray<string>
  readonly detail: string
  readonly key?: true
}

/** The members that only some types have. */
const members: ReadonlyArray<
  readonly [name: "values" | "pattern" | "min" | "max", types: ReadonlyArray<ParameterType>]
> = [
  ["values", ["enum"]],
  ["pattern", ["string"]],
  ["min", ["integer", "number", "duration", "timestamp"]],
  ["max", ["integer", "number", "duration", "timestamp"]]
]

const isDuration = Schema.is(DurationText)
/** The value on the scale by which `min` and `max` compare; undefined when it is none of the type. */
const measure = (type: ParameterType, value: unknown): number | undefined => {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value) ? Number(value) : undefined
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? value : undefined
    case "duration":
      return isDuration(value) ? durationMillis(value) : undefined
    case "timestamp":
      return typeof value === "string" && isTimestamp(value) ? Date.parse(value) : undefined
    default:
      return undefined
  }
}

const words: Readonly<Record<ParameterType, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  duration: "a duration such as 500ms, 1s, 5m or 2h",
  timestamp: expectedTimestamp,
  enum: "one of"
}

/** What a parameter takes, for messages. */
const expected = ({ type, values, min, max }: Parameter): string => {
  if (type === "enum") return `one of ${(values ?? []).map((value) => JSON.stringify(value)).join(", ")}`
  const range =
    min !== undefined && max !== undefined
      ? ` from ${min} to ${max}`
      : min !== undefined
        ? ` of at least ${min}`
        : max !== undefined
          ? ` of at most ${max}`
          : ""
  return words[type] + range
}

/** A value in a message; long ones are described. */
const shown = (value: unknown): string => {
  const text = typeof value === "object" && value !== null ? undefined : JSON.stringify(value)
  if (text !== undefined && text.length <= 60) return text
  return Array.isArray(value)
    ? "a list"
    : typeof value === "string"
      ? `a text of ${value.length} characters`
      : "an object"
}

const isRight = (parameter: Parameter, value: unknown): boolean => {
  const { type, values, min, max } = parameter
  if (type === "boolean") return typeof value === "boolean"
  if (type === "string") return typeof value === "string" && value.length <= maxParameterText && value.isWellFormed()
  if (type === "enum") return typeof value === "string" && values?.includes(value) === true
  const found = measure(type, value)
  if (found === undefined) return false
  const least = min === undefined ? undefined : measure(type, min)
  const most = max === undefined ? undefined : measure(type, max)
  return (least === undefined || found >= least) && (most === undefined || found <= most)
}

/** What is wrong with a value for a parameter, except that it may not match its pattern: see {@link patternFault}. */
export const valueFault = (parameter: Parameter, value: unknown): string | undefined =>
  isRight(parameter, value) ? undefined : `Expected ${expected(parameter)}, found ${shown(value)}`

const patternOf = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return undefined
  }
}

/** Whether the value does not match the pattern. A pattern can take for ever: call it only where that harms nobody. */
export const patternFault = ({ pattern }: Parameter, value: unknown): string | undefined =>
  pattern === undefined || typeof value !== "string" || patternOf(pattern)?.test(value) !== false
    ? undefined
    : `Expected a text that matches ${pattern}, found ${shown(value)}`

/** The faults of a declaration that its schema cannot express. */
export const declarationFaults = (parameter: Parameter): ReadonlyArray<ParameterFault> => {
  const { type, pattern, required } = parameter
  const faults: Array<ParameterFault> = []
  for (const [name, types] of members) {
    if (parameter[name] !== undefined && !types.includes(type)) {
      faults.push({ path: [name], key: true, detail: `Only ${types.join(", ")} can have ${name}, and this is ${type}` })
    }
  }
  if (type === "enum" && parameter.values === undefined) faults.push({ path: [], detail: "An enum needs its values" })
  for (const name of ["min", "max"] as const) {
    const bound = parameter[name]
    if (bound === undefined || !members.some(([member, types]) => member === name && types.includes(type))) continue
    if (measure(type, bound) === undefined) {
      faults.push({ path: [name], detail: `Expected ${words[type]}, found ${shown(bound)}` })
    }
  }
  if (faults.length === 0 && parameter.min !== undefined && parameter.max !== undefined) {
    if (measure(type, parameter.min)! > measure(type, parameter.max)!) {
      faults.push({ path: ["min"], detail: "min is greater than max" })
    }
  }
  if (pattern !== undefined && patternOf(pattern) === undefined) {
    faults.push({ path: ["pattern"], detail: "This is no regular expression" })
  }
  if (parameter.default !== undefined) {
    const fault = faults.length === 0 ? valueFault(parameter, parameter.default) : undefined
    if (fault !== undefined) faults.push({ path: ["default"], detail: fault })
    if (required === true) {
      faults.push({ path: ["required"], detail: "A parameter with a default need not be given: leave one of them out" })
    }
  }
  return faults
}

/** Whether an execution has to give the parameter. One without a default need not be given where it says so. */
export const isRequired = ({ default: otherwise, required }: Parameter): boolean => required ?? otherwise === undefined

/** A value that stands for one that is known only when the flowline is executed. */
export const placeholderOf = (name: string, { type, values, min, max }: Parameter): unknown => {
  switch (type) {
    case "string":
      return name
    case "boolean":
      return true
    case "enum":
      return values?.[0] ?? name
    case "duration":
      return min ?? max ?? "1s"
    case "timestamp":
      return min ?? max ?? "2026-01-01T00:00:00Z"
    default:
      return min ?? max ?? 1
  }
}

const schemaOf = ({ type, description, values, pattern, min, max, default: otherwise }: Parameter) => ({
  ...(type === "integer" || type === "number" || type === "boolean" ? { type } : { type: "string" }),
  ...(description === undefined ? {} : { description }),
  ...(values === undefined ? {} : { enum: values }),
  ...(type === "string" ? { maxLength: maxParameterText } : {}),
  ...(type === "duration" ? { pattern: durationPattern.source } : pattern === undefined ? {} : { pattern }),
  ...(type === "timestamp" ? { pattern: timestampPattern.source } : {}),
  ...((type === "integer" || type === "number") && min !== undefined ? { minimum: min } : {}),
  ...((type === "integer" || type === "number") && max !== undefined ? { maximum: max } : {}),
  ...(otherwise === undefined ? {} : { default: otherwise })
})

/** The parameters as a JSON Schema (draft 2020-12) of the object that an execution gives. */
export const parametersSchema = (parameters: Parameters) => {
  const entries = Object.entries(parameters)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, schemaOf(parameter)])),
    required: entries.filter(([, parameter]) => isRequired(parameter)).map(([name]) => name),
    additionalProperties: false
  }
}
