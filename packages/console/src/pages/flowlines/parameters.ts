import { isObject, type Path, type Schema } from "./schema.ts"

/** The parameters that a text declares, as a JSON Schema of the object that an execution is given. */
export const parametersSchema = (flowline: unknown): Schema | undefined => {
  const declared = isObject(flowline) ? flowline["parameters"] : undefined
  if (!isObject(declared) || Object.keys(declared).length === 0) return undefined
  const properties = Object.entries(declared).map(([name, one]) => {
    const { type, values, default: byDefault, description, min, max } = isObject(one) ? one : {}
    const base = {
      ...(description === undefined ? {} : { description }),
      ...(byDefault === undefined ? {} : { default: byDefault })
    }
    if (type === "enum") return [name, { ...base, enum: Array.isArray(values) ? values : [] }]
    const isNumber = type === "integer" || type === "number"
    const schema = { ...base, type: isNumber || type === "boolean" ? type : "string" }
    return [name, isNumber ? { ...schema, minimum: min, maximum: max } : schema]
  })
  const required = Object.entries(declared).flatMap(([name, one]) => {
    const { required: isRequired, default: byDefault } = isObject(one) ? one : {}
    return (isRequired ?? byDefault === undefined) ? [name] : []
  })
  return { type: "object", properties: Object.fromEntries(properties), required }
}

/** A value with another one at a path; undefined takes it away. */
export const withValue = (
  value: Readonly<Record<string, unknown>>,
  [first, ...rest]: Path,
  next: unknown
): Readonly<Record<string, unknown>> => {
  if (first === undefined) return value
  const before = value[first]
  const made = rest.length === 0 ? next : withValue(isObject(before) ? before : {}, rest, next)
  const { [first]: _, ...others } = value
  return made === undefined ? others : { ...others, [first]: made }
}

/** Whether a JSON Schema asks for anything. */
export const hasParameters = (schema: Schema | undefined): schema is Schema =>
  schema !== undefined && isObject(schema["properties"]) && Object.keys(schema["properties"]).length > 0
