import { Effect, type JsonSchema, Predicate, Schema } from "effect"
import type { NodeType } from "../Node.ts"

/** Gives a setting a description, and the value that it has where it is absent; the JSON Schema tells both. */
export const withDefault =
  <const A>(value: A, description: string) =>
  <S extends Schema.Top>(schema: A extends S["Encoded"] ? S : never) =>
    Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema.annotate({ description, default: value }) as S)

/**
 * The value with lists that must not be empty written in one way: Effect repeats the schema of the items for the first
 * one, which strict validators take for a tuple that is not closed.
 */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  const { prefixItems, ...rest } = value as JsonSchema.JsonSchema
  const isList = Array.isArray(prefixItems) && prefixItems.length === 1 && rest["minItems"] === 1
  const isSame = isList && JSON.stringify(prefixItems[0]) === JSON.stringify(rest["items"])
  return Object.fromEntries(Object.entries(isSame ? rest : value).map(([key, inner]) => [key, plain(inner)]))
}

/** The settings of a node as a JSON Schema (draft 2020-12) without other members than the declared ones. */
export const settingsSchema = ({ settings }: Pick<NodeType, "settings">): JsonSchema.JsonSchema => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(settings, { onExcessProperty: "error" })
  return plain({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }) as JsonSchema.JsonSchema
}
