import { Duration, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Issue } from "../../errors/BadRequest.ts"
import { RequestTimeout } from "../../errors/RequestTimeout.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { ByteBuffer } from "../shared/bytes/ByteBuffer.ts"
import { type FormPart, isForm, type PartRules } from "../shared/requests/FormRules.ts"
import { EarlierFaults } from "../shared/requests/RequestProblems.ts"
import { defaultLimits } from "../shared/settings/Settings.ts"
import { bodyOf } from "./BodyReader.ts"
import { boundaryOf } from "./Boundary.ts"
import { digestFault, hasDigest } from "./Digest.ts"
import { type FileRule, type FormParser, type FormRules, formParser, ofForm, unreadable } from "./FormParser.ts"

/** Why a request's content type is not that of a form. A boundary has 1 to 70 characters (RFC 2046, 5.1.1). */
const typeFault = (contentType = "", parts: ReadonlyArray<string>): Issue | undefined => {
  const fault = (detail: string): Issue => ({ part: "header", pointer: "/content-type", detail })
  if (!isForm(contentType)) {
    const known = parts.join(", ")
    return fault(
      `the content type must be multipart/form-data: send a form, with curl by -F, whose parts can be ${known}`
    )
  }
  // A proxy may have used another one.
  if ((contentType.match(/;\s*boundary=/gi) ?? []).length > 1) return fault("the content type has several boundaries")
  const { length } = boundaryOf(contentType)
  return length === 0 || length > 70 ? fault("the content type needs a boundary of 1 to 70 characters") : undefined
}

/** Creates the parser for a request's form. Fails if the request is not a form. */
export const parserFor = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  { parts, maxParts = defaultLimits.parts }: PartRules,
  file?: FileRule
) {
  const wrongType = typeFault(request.headers["content-type"], [
    ...(file === undefined ? [] : [file.name]),
    ...Object.keys(parts)
  ])
  const earlier = yield* EarlierFaults
  if (wrongType !== undefined) return yield* unreadable([...earlier, wrongType])
  const rules: FormRules = {
    parts: new Map(Object.entries(parts)),
    maxParts,
    otherLimit: defaultLimits.formField,
    isRefused: earlier.length > 0,
    ...(file === undefined ? {} : { file })
  }
  return formParser(request.headers, rules)
})

/** Seconds that a form in memory may keep the gateway waiting, and the bytes that give it one second more. */
const formPatience = { seconds: 30, bytesPerSecond: 16 * 1024 }

/** The body; it fails when the client keeps the gateway waiting for too long. The gateway's own time does not count. */
const inTime = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | RequestTimeout> =>
  Stream.transformPull(body, (pull) =>
    Effect.sync(() => {
      let waited = 0
      let received = 0
      return Effect.gen(function* () {
        const began = yield* monotonicNow
        const allowed = (formPatience.seconds + received / formPatience.bytesPerSecond) * 1000 - waited
        const chunks = yield* Effect.timeoutOrElse(pull, {
          duration: Duration.millis(Math.max(0, allowed)),
          orElse: () => {
            const { seconds, bytesPerSecond } = formPatience
            const rate = `${bytesPerSecond / 1024} KiB a second`
            const detail = `The form came too slowly: beyond ${seconds} seconds it must bring ${rate}`
            return Effect.fail(new RequestTimeout({ detail }))
          }
        })
        waited += (yield* monotonicNow) - began
        for (const { length } of chunks) received += length
        return chunks
      })
    })
  )

/**
 * Receives a form and returns its small parts. `body` passes all of it to the parser until that refuses it. Reports all
 * faults at once: parts that are missing, unknown, sent twice or different from their digest (`Content-Digest` or
 * `Repr-Digest`, of the request or of a part), what the rules find wrong in the parts' contents, and the request's
 * {@link EarlierFaults}. The rest of a refused form is left to the server, which closes the connection.
 */
export const receive = Effect.fnUntraced(function* <E>(
  body: Effect.Effect<void, E>,
  parser: FormParser,
  { parts: rules, faults }: PartRules,
  bodyFault: Effect.Effect<string | undefined>
) {
  yield* body
  parser.end()
  const refused = parser.refused()
  const isLeft = parser.isLeft()
  const earlier = yield* EarlierFaults
  if (refused !== undefined && !isLeft) {
    const alone = refused._tag === "TooLarge" || earlier.length === 0
    return yield* alone ? refused : unreadable([...earlier, ...(refused.issues ?? [])])
  }

  const issues = [...earlier]
  const found = new Map<string, FormPart>()
  const twice = new Set<string>()
  for (const { name, filename, contentType, headers, bytes } of parser.parts) {
    if (found.has(name)) twice.add(name)
    const fault = yield* digestFault(headers, bytes.value)
    if (fault !== undefined) issues.push({ part: name, detail: fault })
    found.set(name, { bytes: bytes.value, filename, contentType })
  }
  for (const [name, { required }] of Object.entries(rules)) {
    if (required && !isLeft && !found.has(name)) issues.push({ part: name, detail: "the part is missing" })
    if (twice.has(name)) issues.push({ part: name, detail: "the part was sent more than once" })
  }
  issues.push(...parser.issues())
  const fault = isLeft ? undefined : yield* bodyFault
  if (fault !== undefined) issues.push(ofForm(fault))
  if (issues.length > 0) return yield* unreadable([...issues, ...(faults?.(found, parser.file()) ?? [])])
  return found
})

/**
 * Reads a `multipart/form-data` body into memory, each part within its limit, if it comes in time. `hold`
 * is called with the number of bytes before they are kept, and may refuse them.
 */
export const readForm = Effect.fn("Form.read")(function* <E = never>(
  request: HttpServerRequest.HttpServerRequest,
  rules: PartRules & { readonly hold?: (bytes: number) => Effect.Effect<void, E> }
) {
  const parser = yield* parserFor(request, rules)
  const body = hasDigest(request.headers) ? new ByteBuffer() : undefined
  const take = (chunk: Uint8Array) =>
    Effect.sync(() => {
      body?.append(chunk)
      parser.write(chunk)
    })
  const { hold } = rules
  const copies = body === undefined ? 1 : 2
  const write = (chunk: Uint8Array): Effect.Effect<void, E> =>
    hold === undefined ? take(chunk) : Effect.andThen(hold(copies * chunk.length), take(chunk))
  const bodyFault = Effect.suspend(() =>
    body === undefined ? Effect.undefined : digestFault(request.headers, body.value)
  )
  const received = Stream.runForEachWhile(inTime(bodyOf(request)), (chunk) =>
    Effect.map(write(chunk), () => parser.refused() === undefined)
  )
  return yield* receive(received, parser, rules, bodyFault)
})
