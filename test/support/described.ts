import type { ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { description } from "../../src/Description.ts"

// Compares answers with the OpenAPI document: their status, headers, media type and body.

interface Header {
  readonly required?: boolean
  readonly schema: { readonly type?: string }
}
interface Response {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
interface Operation {
  readonly responses: Readonly<Record<string, unknown>>
}
type PathItem = Readonly<Record<string, Operation>>

/** An answer, as far as it is known. */
export interface Answer {
  readonly method: string
  /** With the query, without the origin. */
  readonly path: string
  readonly status: number
  readonly headers: Headers
}

export const document = description()
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(document, "openapi")

const compiled = new Map<string, ValidateFunction>()

/** The check for the value at a JSON pointer (RFC 6901) of the document. */
export const validator = (pointer: string): ValidateFunction => {
  const known = compiled.get(pointer)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: `openapi#${pointer}` })
  compiled.set(pointer, made)
  return made
}

const token = (key: string | number): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")
export const child = (pointer: string, ...keys: ReadonlyArray<string | number>): string =>
  [pointer, ...keys.map((key) => encodeURIComponent(token(key)))].join("/")

export const at = (pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (value, key) =>
        (value as Record<string, unknown> | undefined)?.[
          decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
        ],
      document
    )

/** The location of the value at a pointer, after following a reference. */
export const resolved = (pointer: string): string => {
  const { $ref } = at(pointer) as { readonly $ref?: string }
  return $ref === undefined ? pointer : $ref.slice(1)
}

/** Parameters whose values may span several segments. Each is the last of its path. */
const tails = /\{(?:path|name|page)\}$/

const pattern = (template: string): RegExp => {
  const segments = template.replace(tails, "{}").split("/").slice(1)
  const source = segments.map((segment) => {
    if (segment === "{}") return ".+"
    return segment.startsWith("{") ? "[^/]+" : segment
  })
  return new RegExp(`^/${source.join("/")}/?$`, "s")
}

/** The router prefers fixed segments, from the left, and single ones over several. */
const order = (template: string): string => template.replace(tails, "~~").replaceAll(/\{\w+\}/g, "~")

const templates = Object.keys(document.paths)
  .sort((a, b) => (order(a) < order(b) ? -1 : 1))
  .map((template) => [template, pattern(template)] as const)

/** The template of a path; undefined if the document does not describe it. */
export const templateOf = (path: string): string | undefined =>
  templates.find(([, matches]) => matches.test(path.split("?", 1)[0]!))?.[0]

const faultsOf = (check: ValidateFunction, value: unknown): ReadonlyArray<string> =>
  check(value) ? [] : [ajv.errorsText(check.errors, { separator: "; " }).slice(0, 500)]

const headerFaults = (responseAt: string, headers: Headers): ReadonlyArray<string> =>
  Object.keys((at(responseAt) as Response).headers ?? {}).flatMap((name) => {
    const headerAt = resolved(child(responseAt, "headers", name))
    const { required, schema } = at(headerAt) as Header
    const value = headers.get(name)
    if (value === null) return required === true ? [`the header ${name} is missing`] : []
    const typed = schema.type === "integer" && /^\d+$/.test(value) ? Number(value) : value
    return faultsOf(validator(child(headerAt, "schema")), typed).map((fault) => `${name}: ${value}: ${fault}`)
  })

/** The violations of a schema in a JSON text. */
const textFaults = (check: ValidateFunction, text: string): ReadonlyArray<string> => {
  try {
    return faultsOf(check, JSON.parse(text))
  } catch (error) {
    return [String(error)]
  }
}

const essence = (contentType: string): string => contentType.split(";", 1)[0]!.trim().toLowerCase()

/** The declared media type or range that covers an answer's type. */
const mediaOf = (declared: ReadonlyArray<string>, type: string): string | undefined =>
  [type, `${type.split("/", 1)[0]}/*`, "*/*"].find((one) => declared.includes(one))

/** The response in the document that declares the answer; undefined if there is none. */
const responseOf = ({ method, path, status }: Answer): string | undefined => {
  const template = templateOf(path)
  if (template === undefined) return undefined
  const name = method === "HEAD" ? "get" : method.toLowerCase()
  const operation = (document.paths as Record<string, PathItem>)[template]?.[name]
  if (operation?.responses[status] === undefined) return undefined
  return resolved(child("/paths", template, name, "responses", status))
}

/** Answers that no operation describes: to other paths or methods, or caused by the path itself. */
const isOutside = ({ method, path }: Answer): boolean => {
  const template = templateOf(path)
  const name = method === "HEAD" ? "get" : method.toLowerCase()
  return template === undefined || (document.paths as Record<string, PathItem>)[template]?.[name] === undefined
}

const problemType = "application/problem+json"

/** How an answer's head violates the document. */
export const headFaults = (answer: Answer): ReadonlyArray<string> => {
  const type = answer.headers.get("content-type")
  if (isOutside(answer)) {
    const isProblem = answer.status < 400 || (type !== null && essence(type) === problemType)
    return isProblem ? [] : [`the media type is ${type}`]
  }
  const responseAt = responseOf(answer)
  if (responseAt === undefined) return ["the status is not declared"]
  const declared = Object.keys((at(responseAt) as Response).content ?? {})
  const wrongType =
    type === null ? declared.length > 0 && answer.method !== "HEAD" : mediaOf(declared, essence(type)) === undefined
  return [
    ...headerFaults(responseAt, answer.headers),
    ...(wrongType ? [`the media type ${type} is not declared, but ${declared.join(", ") || "none"}`] : [])
  ]
}

/** How an answer's body violates the document. The body is JSON, lines of JSON, or without a schema. */
export const bodyFaults = (answer: Answer, body: string): ReadonlyArray<string> => {
  const type = essence(answer.headers.get("content-type") ?? "")
  const isLines = type === "application/x-ndjson"
  if (!isLines && type !== problemType && type !== "application/json") return []
  if (isOutside(answer)) return type === problemType ? textFaults(validator("/components/schemas/Problem"), body) : []
  const responseAt = responseOf(answer)
  if (responseAt === undefined) return []
  const media = mediaOf(Object.keys((at(responseAt) as Response).content ?? {}), type)
  // A file may have any content.
  if (media !== type) return []
  const check = validator(child(responseAt, "content", media, "schema"))
  const texts = isLines ? body.split("\n").filter((line) => line !== "") : [body]
  return texts.flatMap((text) => textFaults(check, text)).slice(0, 3)
}
