import { Effect, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest, type Issue, invalidBody } from "../../errors/BadRequest.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { readJsonBytes } from "../../languages/document/JsonRequest.ts"
import { readDigits } from "../../languages/json/JsonNumbers.ts"
import { wholeBody } from "../shared/bytes/WholeBody.ts"
import { EarlierFaults } from "../shared/requests/RequestProblems.ts"
import { digestFault } from "./Digest.ts"

/** `application/json`, or a type with the suffix `+json`. Other types are what web pages can send without being asked. */
const isJson = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i

/**
 * Maximum number of members of all objects of a body. Each one that a schema does not know takes it more than a
 * microsecond, during which no other request is served.
 */
const mostMembers = 20_000

interface Rules<E> {
  /** In bytes. */
  readonly limit: number
  /** Fails with what is wrong in a value. Only used for requests that are refused anyway. */
  readonly check: (value: unknown, body: Uint8Array) => Effect.Effect<unknown, BadRequest | E>
  /**
   * Members with data, such as parameters and queries: in these, a number that JavaScript would round becomes its
   * digits, as text. In other members, a number must never pass for a text.
   */
  readonly keepsDigits?: ReadonlyArray<string>
}

/**
 * Reads a JSON body and returns its bytes and its value. Fails with `BadRequest` when the body is missing, not JSON or
 * has a key twice, or has another digest than its header says, and when the request has {@link EarlierFaults}: then with
 * all faults.
 */
export const readJson = <E = never>(request: HttpServerRequest.HttpServerRequest, rules: Rules<E>) =>
  allFaults(
    rules,
    Effect.gen(function* () {
      const body = yield* readBody(request, rules.limit)
      if (body.length === 0) return yield* invalidBody("A JSON body is required")
      return { body, value: yield* jsonOf(request, body, rules) }
    })
  )

/** {@link readJson} of a body that may be missing: its value is `null` then. */
export const readOptionalJson = <E = never>(request: HttpServerRequest.HttpServerRequest, rules: Rules<E>) =>
  allFaults(
    rules,
    Effect.gen(function* () {
      const body = yield* readBody(request, rules.limit)
      return { body, value: body.length === 0 ? null : yield* jsonOf(request, body, rules) }
    })
  )

const allFaults = Effect.fnUntraced(function* <A extends { readonly body: Uint8Array; readonly value: unknown }, E, E2>(
  { check }: Rules<E2>,
  read: Effect.Effect<A, E | BadRequest>
) {
  const earlier = yield* EarlierFaults
  if (earlier.length === 0) return yield* read
  const later = yield* read.pipe(
    Effect.flatMap(({ body, value }) => check(value, body)),
    Effect.as<ReadonlyArray<Issue>>([]),
    Effect.catch((error) => (error instanceof BadRequest ? Effect.succeed(error.issues ?? []) : Effect.fail(error)))
  )
  return yield* new BadRequest({ detail: "The request is invalid", issues: [...earlier, ...later] })
})

const readBody = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limit: number) {
  const body = (yield* wholeBody(request, limit)).slice()
  const fault = yield* digestFault(request.headers, body)
  return fault === undefined ? body : yield* invalidBody(fault)
})

const jsonOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  body: Uint8Array<ArrayBuffer>,
  { keepsDigits = [] }: Pick<Rules<unknown>, "keepsDigits">
) {
  const type = request.headers["content-type"]
  if (type !== undefined && !isJson.test(type)) {
    return yield* new UnsupportedMediaType({
      detail: `The body has the media type ${JSON.stringify(type)}; send it with Content-Type: application/json`
    })
  }
  const read = (one: (text: string) => unknown) =>
    Effect.mapError(Effect.fromResult(readJsonBytes(body, one, mostMembers)), ({ detail, ...position }) =>
      invalidBody(detail, position)
    )
  const value = yield* read(JSON.parse)
  if (keepsDigits.length === 0 || !Predicate.isObject(value)) return value
  const exact = (yield* read(readDigits)) as Readonly<Record<string, unknown>>
  for (const member of keepsDigits) if (Object.hasOwn(value, member)) value[member] = exact[member]
  return value
})
