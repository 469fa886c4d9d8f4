import { type JsonSchema, Predicate } from "effect"
import type { OpenApi } from "effect/http-api"
import {
  type RequestHeader,
  requestHeaders,
  responseHeaders
} from "../../../services/shared/openapi/DescribedHeaders.ts"
import type { Answer, Feature, Operation } from "../../../services/shared/openapi/OpenApiParts.ts"
import { valueSchema } from "../../../services/shared/requests/Parameters.ts"
import { securitySchemes } from "../../../services/shared/security/Security.ts"
import { problemType } from "../problems/ProblemBody.ts"
import { Issue, Problem, responses, responsesOf, sentProblem } from "../problems/ProblemResponses.ts"

type Json = Record<string, unknown>

/** Options of Effect's generator: the document has to include the schemas of parameter values. */
export const options = { includeAnnotationKey: (key: string) => key === valueSchema }

/** Security requirement: any one of the schemes suffices. */
const credentials = Object.keys(securitySchemes).map((name) => ({ [name]: [] }))

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** The value with every reference to a schema `XEncoded`, which is how Effect names what an error becomes, as `X`. */
const renamed = <A>(document: A): A =>
  JSON.parse(JSON.stringify(document).replaceAll(/("#\/components\/schemas\/\w+?)Encoded"/g, '$1"')) as A

/** A parameter with the schema of its value; see {@link valueSchema}. */
const parameterOf = (parameter: OpenApi.OpenAPISpecParameter): Json => {
  const { [valueSchema]: value, description, ...generated } = parameter.schema as Json
  const { examples, ...schema } = (value ?? generated) as { readonly examples?: ReadonlyArray<unknown> } & Json
  return { ...parameter, description, schema, ...(examples === undefined ? {} : { example: examples[0] }) }
}

const headerParameter = (name: RequestHeader): Json => {
  const { description, schema, example } = requestHeaders[name]
  return { name, in: "header", required: false, description, schema, example }
}

const responseHeader = (name: keyof typeof responseHeaders): Json => {
  const { description, schema, example, required = false } = responseHeaders[name]
  return { description, required, schema, example }
}

type HeaderNames = Readonly<Record<string, { readonly name?: string }>>

const headersOf = (names: ReadonlyArray<string>) =>
  Object.fromEntries(
    [...new Set(names)].map((key) => [(responseHeaders as HeaderNames)[key]?.name ?? key, ref("headers", key)])
  )

/** Description of a status for which the endpoint gives none. */
const meanings: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Done",
  202: "Accepted; it is done later",
  204: "Done, without a body"
}

/** The headers of problems with a status: the trace id, and those that belong to the status. */
const problemHeaders = (status: number): ReadonlyArray<string> => {
  if (status === 401) return ["X-Trace-Id", "WWW-Authenticate"]
  if (status === 429) return ["X-Trace-Id", "LimitRetryAfter", "RateLimit", "RateLimit-Policy"]
  return status === 503 ? ["X-Trace-Id", "Retry-After"] : ["X-Trace-Id"]
}

const answerOf = (status: number, declared: Json | undefined, more: Answer = {}): Json => {
  const { description, content, ...rest } = (declared ?? {}) as { description?: string; content?: Record<string, Json> }
  const special = status < 400 ? [] : problemHeaders(status)
  const names = ["X-Request-Id", ...special, ...(more.headers ?? [])]
  const contents = { ...content, ...more.content }
  return {
    ...rest,
    description: more.description ?? (status < 400 ? (meanings[status] ?? "Done") : description),
    headers: headersOf(names),
    ...(Object.keys(contents).length === 0 ? {} : { content: contents })
  }
}

/** Merges the endpoint's own answer with a common one of the same status. */
const withCommon = (status: number, answer: Json, common: keyof typeof responses): Json => {
  const content = answer["content"] as Record<string, Json>
  const schema = content[problemType]?.["schema"] as Json
  if (status !== 500 && status !== 403) return answer
  const either = [...((schema["anyOf"] ?? [schema]) as ReadonlyArray<Json>), ref("schemas", "Problem")]
  const { description } = responses[common]
  return {
    ...answer,
    description: `${String(answer["description"])}; or: ${description}`,
    content: { [problemType]: { schema: { anyOf: either } } }
  }
}

const operationOf = (method: string, generated: OpenApi.OpenAPISpecOperation, said: Operation): Json => {
  const declared: Record<string, Json> = Object.fromEntries(
    Object.entries(generated.responses).map(([status, answer]) => [status, { ...answer }])
  )
  const found: Record<number, Json> = {}
  for (const status of new Set([...Object.keys(declared), ...Object.keys(said.answers ?? {})].map(Number))) {
    found[status] = answerOf(status, declared[status], said.answers?.[status])
  }
  for (const [key, name] of Object.entries(responsesOf(method))) {
    const status = Number(key)
    found[status] = found[status] === undefined ? ref("responses", name) : withCommon(status, found[status], name)
  }
  const { requestBody, parameters, ...rest } = generated
  const headers = [...new Set([...(said.headers ?? []), "X-Request-Id"])].map((name) => ref("parameters", name))
  return {
    ...rest,
    description: said.description,
    parameters: [...parameters.map(parameterOf), ...headers],
    ...(requestBody === undefined ? {} : { requestBody: bodyOf(requestBody, said) }),
    responses: found
  }
}

const bodyOf = (
  { content, required }: OpenApi.OpenAPISpecRequestBody,
  { body, bodies = {}, form, mayLackBody }: Operation
): Json => ({
  required: required && mayLackBody !== true,
  content: Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const example = bodies[type] ?? (type === "multipart/form-data" ? (form ?? body) : body)
      return [type, example === undefined ? media : { ...media, example }]
    })
  )
})

const about = `Per-tenant gateway in front of a data-processing platform.

- Every answer above 399 is a problem (RFC 9457) with a \`traceId\`; its \`type\` is the path of a page about it.
- Every answer has \`X-Request-Id\`, \`X-Content-Type-Options: nosniff\`, \`Referrer-Policy: no-referrer\` and
  \`Cross-Origin-Resource-Policy: same-origin\`; one to a read has \`Cache-Control\`.
- \`HEAD\` works wherever \`GET\` does. \`OPTIONS\` answers 204 with \`Allow\`; a method that a path does not have is a 405.
- Times are ISO 8601 in UTC with milliseconds, durations whole milliseconds.`

/** The common answers to which operations refer, without those that every operation declares in more detail. */
const usedResponses = (paths: Record<string, Json>): Partial<typeof responses> => {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => text.includes(`"#/components/responses/${name}"`))
  )
}

/** The parts of the document that describe the gateway as a whole. */
interface About {
  readonly version: string
  readonly features: Readonly<Record<string, Feature>>
  /** The operations that require credentials. */
  readonly authenticated: ReadonlySet<string>
}

const feature = ({ features }: About, operationId: string): readonly [Feature, Operation] => {
  const [group = "", endpoint = ""] = operationId.split(".")
  const found = features[group]
  const operation = found?.operations[endpoint]
  if (found === undefined || operation === undefined) throw new Error(`Nothing describes ${operationId}`)
  return [found, operation]
}

const schemasOf = (generated: JsonSchema.Definitions, about: About): Record<string, Json> => {
  const said = Object.assign(
    { Issue },
    ...Object.values(about.features).map(({ schemas }) => schemas)
  ) as Feature["schemas"]
  const schemas = Object.entries(generated).map(([key, schema]) => {
    const name = key.replace(/Encoded$/, "")
    const component = said[name]
    const own = component === undefined ? {} : { description: component.description, examples: [component.example] }
    return [name, sentProblem(name, schema) ?? { ...schema, ...own }] as const
  })
  return { ...Object.fromEntries(schemas), Problem }
}

/**
 * The OpenAPI document: what Effect generates from the endpoints, completed by the features' descriptions and by what
 * applies to all endpoints.
 */
export const openApiDocument = (generated: OpenApi.OpenAPISpec, said: About) => {
  const document = renamed(generated)
  const tags = new Map<string, string>()
  const paths: Record<string, Json> = {}
  for (const [path, methods] of Object.entries(document.paths)) {
    paths[path] = {}
    for (const [method, given] of Object.entries(methods)) {
      if (!Predicate.isObject(given) || Array.isArray(given)) continue
      const generatedOperation = given as OpenApi.OpenAPISpecOperation
      const { operationId } = generatedOperation
      const [{ description }, operation] = feature(said, operationId)
      tags.set(generatedOperation.tags[0], description)
      const security = said.authenticated.has(operationId) ? credentials : []
      paths[path][method] = operationOf(method, { ...generatedOperation, security }, operation)
    }
  }
  const headerNames = Object.keys(responseHeaders) as Array<keyof typeof responseHeaders>
  const parameterNames = Object.keys(requestHeaders) as Array<RequestHeader>
  return {
    ...document,
    info: {
      ...document.info,
      version: said.version,
      description: about,
      contact: { name: "The operator of this gateway" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" }
    },
    servers: [{ url: "/", description: "The gateway that serves this document" }],
    tags: document.tags.map((tag) => ({ ...tag, description: tags.get(tag.name) ?? "" })),
    paths,
    components: {
      ...document.components,
      securitySchemes,
      schemas: schemasOf(document.components.schemas, said),
      headers: Object.fromEntries(headerNames.map((name) => [name, responseHeader(name)])),
      parameters: Object.fromEntries(parameterNames.map((name) => [name, headerParameter(name)])),
      responses: usedResponses(paths)
    }
  }
}

/** The document, as OpenAPI 3.1 has it. */
export type Document = ReturnType<typeof openApiDocument>
