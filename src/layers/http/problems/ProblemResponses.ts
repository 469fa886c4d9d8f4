import type { JsonSchema } from "effect"
import { detailOf, generalProblem, problemType } from "./ProblemBody.ts"

/** A fault of a request, in the problems that list them. */
export const Issue = {
  description: "A fault of a request; `pointer` is a JSON pointer (RFC 6901) into the `part`",
  example: { part: "query", pointer: "/limit", detail: "Expected a value between 1 and 10000" }
}

/** Additional members of problems, by the name of their schema. */
const members: Readonly<Record<string, object>> = {
  BadRequest: { issues: [Issue.example] },
  DirectoryRead: { tenant: "mytenant", path: "flowlines" },
  Forbidden: { role: "developer" },
  InvalidChannel: {
    tenant: "mytenant",
    channel: "broken",
    issues: [{ file: "channels/broken/channel_structure.yaml", pointer: "/applications", detail: "Missing key" }]
  },
  InvalidOperator: { part: "pattern", line: 1, column: 1, text: "%{NONE:x}" },
  InvalidResource: { tenant: "mytenant", name: "lists/blocked.csv" },
  LimitExceeded: { limit: "requestsPerSecond", value: 100, used: 101, key: "tenant:mytenant", tenant: "mytenant" },
  NotFound: { kind: "flowline", tenant: "mytenant", id: "none" },
  QueueFull: { limit: "waitingExecutions", value: 1000, used: 1001, key: "tenant:mytenant", tenant: "mytenant" },
  RangeNotSatisfiable: { size: 1024 },
  ResourceNotCreated: { tenant: "mytenant", path: "lists" },
  StorageUnreachable: { storage: "data" },
  TenantSuspended: { tenant: "mytenant" },
  ReadOnlyConfiguration: { tenant: "mytenant" },
  TooLarge: { limit: "flowlineFile", value: 4_194_304, part: "file" },
  TooMany: { limit: "storedVersions", value: 100_000, used: 100_001, key: "tenant:mytenant", tenant: "mytenant" },
  VersionConflict: { tenant: "mytenant", name: "lists/blocked.csv", versions: [1] }
}

const ids = { traceId: "0af7651916cd43dd8448eb211c80319c", requestId: "Zk3v0q8cW1xT-1a" }

const exampleOf = (type: string, title: string, status: number, more: object = {}) => {
  const detail = detailOf({ type, title, ...more })
  return { type, title, status, detail, instance: "/v1/mytenant/flowline", ...more, ...ids }
}

/** Members that the declarations lack, because they are added when a problem is sent. */
const sent = {
  detail: { type: "string", description: "What happened, in a sentence" },
  instance: { type: "string", description: "The requested path" },
  traceId: { type: "string", description: "Id of this answer in logs and traces" },
  requestId: { type: "string", description: "Id of the request, as in `X-Request-Id`" }
}
const common = {
  type: { type: "string", description: "Path of the page about this kind of problem" },
  title: { type: "string" },
  status: { type: "integer", minimum: 400, maximum: 599 },
  ...sent
}
const required = Object.keys(common)

/** The schema of any problem. */
export const Problem: JsonSchema.JsonSchema = {
  type: "object",
  description: "A failure (RFC 9457). Problems of some kinds have further members",
  properties: common,
  required,
  examples: [exampleOf("/problems/internal-error", "Internal error", 500)]
}

const only = (schema: unknown): unknown => (schema as { readonly enum?: ReadonlyArray<unknown> } | undefined)?.enum?.[0]

/**
 * The schema of a declared problem as it is sent: `asProblem` gives every problem all the common members. Undefined for
 * the schema of anything else.
 */
export const sentProblem = (name: string, schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema | undefined => {
  const properties = schema["properties"] as Record<string, JsonSchema.JsonSchema> | undefined
  const type = only(properties?.["type"])
  if (properties === undefined || typeof type !== "string" || !type.startsWith("/problems/")) return undefined
  const title = String(only(properties["title"]))
  const status = Number(only(properties["status"]))
  const further = ((schema["required"] ?? []) as ReadonlyArray<string>).filter((member) => !(member in common))
  return {
    ...schema,
    description: `${title}: see ${type}`,
    properties: {
      ...common,
      ...properties,
      ...sent,
      status: { type: "integer", enum: [status] }
    },
    required: [...required, ...further],
    examples: [exampleOf(type, title, status, members[name])]
  }
}

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })

const answer = (description: string, problem: ReturnType<typeof generalProblem>, more: object = {}) => ({
  description,
  headers: { ...header("X-Request-Id"), ...header("X-Trace-Id"), ...more },
  content: {
    [problemType]: {
      schema: { $ref: "#/components/schemas/Problem" },
      example: exampleOf(problem.type, problem.title, problem.status)
    }
  }
})

const special = (slug: string, title: string, status: number) => ({ type: `/problems/${slug}`, title, status })

/** Answers that come from the layers around all endpoints, not from an endpoint itself. */
export const responses = {
  OtherSite: answer(
    "A page of another site sent the request",
    special("foreign-origin", "Request from another site", 403)
  ),
  MethodNotAllowed: answer(
    "The path has other methods; nothing was done",
    special("method-not-allowed", "Method not allowed", 405),
    header("Allow")
  ),
  PreconditionFailed: answer(
    "The answer has another tag than `If-Match` names",
    special("precondition-failed", "Precondition failed", 412)
  ),
  TooSlow: answer("The body came too slowly", generalProblem(408)),
  CodedBody: answer("The body has a content coding", generalProblem(415)),
  ExpectationFailed: answer("Only 100-continue may be expected", generalProblem(417)),
  OtherHost: answer(
    "The gateway does not answer for this host",
    special("misdirected-request", "Misdirected request", 421)
  ),
  HeadersTooLarge: answer("The header fields are too large", generalProblem(431)),
  InternalError: answer("A defect of the gateway; its log has the cause", generalProblem(500)),
  UnknownCoding: answer("The only transfer coding is chunked", generalProblem(501)),
  Unavailable: answer("The gateway stops or has too much to do", generalProblem(503), header("Retry-After"))
}

/** The names of the answers in {@link responses} that an operation can have, by status. */
export const responsesOf = (method: string): Readonly<Record<number, keyof typeof responses>> => ({
  ...(method === "get" ? { 412: "PreconditionFailed" } : { 403: "OtherSite", 415: "CodedBody" }),
  405: "MethodNotAllowed",
  408: "TooSlow",
  417: "ExpectationFailed",
  421: "OtherHost",
  431: "HeadersTooLarge",
  500: "InternalError",
  501: "UnknownCoding",
  503: "Unavailable"
})
