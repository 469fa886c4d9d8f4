import { stringify } from "yaml"
import { catalogue, descriptor } from "../../src/nodes/Catalogue.ts"
import type { NodeType } from "../../src/nodes/Node.ts"

/** The parts of a JSON Schema that the settings of nodes use. */
interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly items?: JsonSchema
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly additionalProperties?: JsonSchema | boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
}

const typeOf = (schema: JsonSchema): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ")
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ")
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? schema.prefixItems?.[0] ?? {})}`
  if (schema.type === "object") {
    const { additionalProperties: values } = schema
    return typeof values === "object" && Object.keys(values).length > 0 ? `object of ${typeOf(values)}` : "object"
  }
  const ranges = [schema, ...(schema.allOf ?? [])]
  const minimum = ranges.find((range) => range.minimum !== undefined)?.minimum
  const maximum = ranges.find((range) => range.maximum !== undefined)?.maximum
  const range = [
    minimum === undefined ? [] : `from ${minimum}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : `to ${maximum}`
  ].flat()
  return [schema.type ?? "any value", ...range].join(" ")
}

/** The settings of a node as the scan describes them. */
export const settingsSchema = (node: NodeType): JsonSchema => descriptor(node).settings as JsonSchema

const cell = (text: string): string => text.replaceAll("|", "\\|")

const row = (name: string, schema: JsonSchema, required: boolean): string => {
  const fallback = schema.default === undefined ? (required ? "required" : "") : `\`${JSON.stringify(schema.default)}\``
  return `| \`${name}\` | ${cell(typeOf(schema))} | ${fallback} | ${cell(schema.description ?? "")} |\n`
}

const section = (node: NodeType): string => {
  const { properties = {}, required = [] } = settingsSchema(node)
  const { min, max } = node.inputs
  const inputs = max === 0 ? "none" : min === max ? `${min}` : `${min} to ${max}`
  const names = node.outputs.map((name) => (name === "*" ? "any name" : `\`${name}\``))
  const rows = Object.entries(properties).map(([name, schema]) => row(name, schema, required.includes(name)))
  const example = stringify([{ type: node.type, settings: node.example }], { lineWidth: 100 })
  return `## ${node.type}
${node.description}

Kind: ${node.kind}. Runtimes: ${node.runtimes.join(", ")}. Subscriptions: ${inputs}. Streams: ${names.join(", ") || "none"}.

| setting | type | default | meaning |
|---|---|---|---|
${rows.join("")}
\`\`\`yaml
${example}\`\`\`
`
}

/** The reference of these nodes, in Markdown. */
export const reference = (types: ReadonlyArray<string>): string =>
  types
    .flatMap((type) => catalogue.get(type) ?? [])
    .map(section)
    .join("\n")
