import { Arbitrary, Effect, type JsonSchema, SchemaRepresentation } from "effect"
import { document, templateOf } from "./described.ts"
import type { DescribedOperation, DescribedParameter } from "./operations.ts"
import { random } from "./random.ts"

// Generates requests from the OpenAPI document alone: valid and invalid values for parameters, headers and bodies.

/** Choices that a seed determines. */
const choices = (seed: number) => {
  const { below } = random(seed)
  return { seed, next: () => below(1000) / 1000, pick: <A>(all: ReadonlyArray<A>): A => all[below(all.length)]! }
}
type Choices = ReturnType<typeof choices>

/** A request. */
export interface GeneratedCall {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FormData
  /** Whether the schema of a parameter excludes its value. */
  readonly isInvalid: boolean
}

const definitions = JSON.parse(
  JSON.stringify(document.components.schemas).replaceAll("#/components/schemas/", "#/$defs/")
) as JsonSchema.Definitions

const samples = new Map<string, ReadonlyArray<unknown>>()

/** Some values that a schema admits. A seed always yields the same ones. */
const samplesOf = (schema: object, seed: number): ReadonlyArray<unknown> => {
  const text = JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/")
  const known = samples.get(text)
  if (known !== undefined) return known
  const parsed = JSON.parse(text) as JsonSchema.JsonSchema
  const made = SchemaRepresentation.fromJsonSchemaDocument(
    { dialect: "draft-2020-12", schema: parsed, definitions },
    { patterns: "apply" }
  )
  const found = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(made), { count: 40, size: 12, seed }))
  samples.set(text, found)
  return found
}

/** Texts that break code with narrower expectations. */
const hostile = [
  "",
  "0",
  "-1",
  "1.5",
  "1e3",
  "0x10",
  "NaN",
  "9".repeat(30),
  "true",
  "TRUE",
  "null",
  "a\u0000b",
  "ä€😀",
  "%00",
  "%zz",
  "../../etc/passwd",
  "a/b",
  "a//b",
  ".hidden",
  "' or 1=1 --",
  "{}",
  "[",
  "x".repeat(3000),
  " ",
  "*",
  "a,b"
]

const hostileHeaders = [
  '"',
  "W/",
  "bytes=-0",
  "bytes=9-1",
  "bytes=0-0,2-3",
  "*",
  "text/event-stream;q=0",
  "sha-256=:x:",
  "-1",
  "x".repeat(300)
]

const hostileBodies = ["", "{", "null", "[]", '"a"', '{"index":1}', '{"__proto__":{}}', "\u0000"]

/** Lone surrogates cannot be sent. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value)).toWellFormed()

/** Values for parameters by name, such as ids of existing objects, instead of the examples. */
export type Known = Readonly<Record<string, ReadonlyArray<string>>>

/** A value for a parameter, and whether its schema admits it; undefined to omit the parameter. */
const valueOf = (
  { next, pick, seed }: Choices,
  known: Known,
  { name, schema, example, required }: DescribedParameter
) => {
  const examples = known[name] ?? (example === undefined ? [] : [textOf(example)])
  // Other tenants do not exist, and their answers are all alike.
  const chance = name === "tenant" && next() < 0.9 ? 0.5 : next()
  if (required !== true && chance < 0.3) return undefined
  if (examples.length > 0 && chance < 0.65) return { text: pick(examples), valid: true }
  if (chance < 0.85) return { text: textOf(pick(samplesOf(schema, seed))), valid: true }
  return { text: pick(hostile), valid: false }
}

/** Visible ASCII: the characters that a header may contain. */
const isSendable = (text: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)

const bodyOf = ({ next, pick, seed }: Choices, { operation }: DescribedOperation) => {
  const content = operation.requestBody?.content
  const [[type, media] = []] = Object.entries(content ?? {})
  if (type === undefined || media === undefined) return undefined
  const chance = next()
  if (chance < 0.15) return { type: pick(["application/json", "text/plain", type]), body: pick(hostileBodies) }
  const value = chance < 0.45 ? media.example : pick(samplesOf(media.schema, seed))
  if (type !== "multipart/form-data") return { type, body: JSON.stringify(value) }
  const form = new FormData()
  for (const [name, part] of Object.entries((value ?? {}) as Readonly<Record<string, unknown>>)) {
    if (chance > 0.9 && next() < 0.5) continue
    if (next() < 0.5) form.set(name, String(part))
    else form.set(name, new Blob([String(part)]), `${name}.txt`)
  }
  return { type: undefined, body: form }
}

/** `count` requests for an operation, determined by the seed. */
export const callsOf = (
  operation: DescribedOperation,
  { count, seed, known }: { readonly count: number; readonly seed: number; readonly known: Known }
): ReadonlyArray<GeneratedCall> => {
  const chosen = choices(seed + [...operation.id].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 0))
  return Array.from({ length: count }, () => {
    let path = operation.path
    let isInvalid = false
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    for (const parameter of operation.operation.parameters) {
      const isHeader = parameter.in === "header"
      const value =
        isHeader && chosen.next() < 0.15
          ? { text: chosen.pick(hostileHeaders), valid: false }
          : valueOf(chosen, known, parameter)
      if (value === undefined) continue
      if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, () => encodeURIComponent(value.text))
      else if (parameter.in === "query") query.set(parameter.name, value.text)
      else if (isSendable(value.text)) headers[parameter.name] = value.text
      isInvalid ||= parameter.in === "query" && !value.valid && !isAdmitted(parameter, value.text)
    }
    const body = bodyOf(chosen, operation)
    if (body?.type !== undefined) headers["Content-Type"] = body.type
    return {
      path: query.size === 0 ? path : `${path}?${query}`,
      method: operation.method,
      headers,
      // An empty segment turns the path into that of another operation.
      isInvalid: isInvalid && templateOf(path) === operation.path,
      ...(body === undefined ? {} : { body: body.body })
    }
  })
}

/** Whether a text represents a value that the parameter's schema admits. */
const isAdmitted = ({ schema }: DescribedParameter, text: string): boolean => {
  if (schema["type"] === "boolean") return text === "true" || text === "false"
  if (schema["type"] !== "integer") return true
  const { minimum, maximum } = schema as { readonly minimum: number; readonly maximum: number }
  return /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
}
