/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

export type Path = ReadonlyArray<string | number>

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The schema that a reference stands for. */
const resolved = (root: Schema, schema: unknown): Schema => {
  if (!isObject(schema)) return {}
  const name = /^#\/\$defs\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1]
  const defs = root["$defs"]
  return name === undefined || !isObject(defs) || !Object.hasOwn(defs, name) ? schema : resolved(root, defs[name])
}

/** A schema and what else may stand in its place. */
const alternatives = (root: Schema, schema: unknown): ReadonlyArray<Schema> => {
  const own = resolved(root, schema)
  const others = own["anyOf"] ?? own["oneOf"]
  return Array.isArray(others) ? [own, ...others.flatMap((one) => alternatives(root, one))] : [own]
}

/** The members that an object of this schema can have, each with its schema. */
export const membersOf = (root: Schema, schema: unknown): ReadonlyMap<string, Schema> => {
  const found = new Map<string, Schema>()
  for (const one of alternatives(root, schema)) {
    if (!isObject(one["properties"])) continue
    for (const [name, member] of Object.entries(one["properties"])) {
      if (!found.has(name)) found.set(name, resolved(root, member))
    }
  }
  return found
}

export const requiredOf = (schema: Schema): ReadonlyArray<string> =>
  Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : []

const stepped = (root: Schema, schema: Schema, key: string | number): Schema | undefined => {
  for (const one of alternatives(root, schema)) {
    if (typeof key === "number") {
      if (isObject(one["items"])) return resolved(root, one["items"])
    } else {
      const properties = one["properties"]
      if (isObject(properties) && Object.hasOwn(properties, key)) return resolved(root, properties[key])
      if (isObject(one["additionalProperties"])) return resolved(root, one["additionalProperties"])
    }
  }
  return undefined
}

/** The schema of what stands at a path; undefined where nothing is known of it. */
export const schemaAt = (root: Schema, path: Path): Schema | undefined => {
  let found: Schema | undefined = resolved(root, root)
  for (const key of path) {
    if (found === undefined) return undefined
    found = stepped(root, found, key)
  }
  return found
}

/** The values that are named by a schema: of an enumeration, or yes and no. */
export const valuesOf = (root: Schema, schema: Schema): ReadonlyArray<string | number | boolean> => {
  const found = alternatives(root, schema).flatMap((one) => {
    if (one["const"] !== undefined) return [one["const"]]
    if (Array.isArray(one["enum"])) return one["enum"]
    return one["type"] === "boolean" ? [true, false] : []
  })
  return [...new Set(found.filter((value) => ["string", "number", "boolean"].includes(typeof value)))]
}

/** How a value is edited in a form. `yaml`: as a text in YAML, as the schema allows too much for anything else. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "texts" | "object" | "yaml"

export const fieldKindOf = (root: Schema, schema: Schema): FieldKind => {
  if (Array.isArray(schema["enum"])) return "choice"
  switch (schema["type"]) {
    case "string":
      return "text"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "array":
      return isObject(schema["items"]) && resolved(root, schema["items"])["type"] === "string" ? "texts" : "yaml"
    case "object":
      return isObject(schema["properties"]) ? "object" : "yaml"
    default:
      return "yaml"
  }
}

/** What a reader is told of a type: `text`, `number`, `list` … */
export const typeName = (root: Schema, schema: Schema): string => {
  const names = alternatives(root, schema).flatMap((one) =>
    Array.isArray(one["enum"]) ? one["enum"].map(String) : typeof one["type"] === "string" ? [one["type"]] : []
  )
  return [...new Set(names)].join(" | ")
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
