import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { Bytes } from "../shared/Bytes.ts"
import { defaultLimits } from "../shared/Settings.ts"
import { digestFault, hasDigest } from "./Digest.ts"
import { type FormRules, formParser, type PartRule } from "./FormParser.ts"

/** A part of a form, either a file or a text field. `filename` comes from the client and must not be used as a path. */
export interface FormPart {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly filename?: string
  readonly contentType?: string
}

/** The error of an invalid form, with all its faults. */
export const unreadable = (issues: ReadonlyArray<Issue>) =>
  new BadRequest({ detail: "The form cannot be read", issues })

/** The fault of a content type that is not a form; a boundary has 1 to 70 characters (RFC 2046, section 5.1.1). */
const typeFault = (contentType: string | undefined): string | undefined => {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? "")) return "the content type must be multipart/form-data"
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType ?? "")
  const length = (boundary?.[1] ?? boundary?.[2] ?? "").length
  return length === 0 || length > 70 ? "the content type needs a boundary of 1 to 70 characters" : undefined
}

/**
 * Reads a `multipart/form-data` body into memory, each part up to its limit. Reports all faults at once: parts that are
 * missing, repeated, or do not match their digest (`Content-Digest`, `Repr-Digest`, on the request or on a part). After
 * a refusal the server closes the connection, so the rest of the body is not read. `hold` is called with the number of
 * bytes before they are kept, and may refuse them.
 */
export const readForm = Effect.fn("Form.read")(function* <E = never>(
  request: HttpServerRequest.HttpServerRequest,
  rules: {
    readonly parts: Readonly<Record<string, PartRule>>
    readonly maxParts?: number
    readonly other?: FormRules["other"]
    readonly hold?: (bytes: number) => Effect.Effect<void, E>
  }
) {
  const wrongType = typeFault(request.headers["content-type"])
  if (wrongType !== undefined) return yield* unreadable([{ detail: wrongType }])
  const known = new Map(Object.entries(rules.parts))
  const parser = formParser(request.headers, {
    parts: known,
    maxParts: rules.maxParts ?? defaultLimits.parts,
    other: rules.other ?? { limit: defaultLimits.formField, limitName: "formField" }
  })
  const body = hasDigest(request.headers) ? new Bytes() : undefined
  const take = (chunk: Uint8Array) =>
    Effect.sync(() => {
      body?.append(chunk)
      parser.write(chunk)
      return parser.excess() === undefined && parser.broken() === undefined
    })
  const { hold } = rules
  yield* request.stream.pipe(
    Stream.mapError(() => unreadable([{ detail: "the body could not be received" }])),
    Stream.runForEachWhile((chunk) =>
      hold === undefined ? take(chunk) : Effect.andThen(hold(chunk.length), take(chunk))
    )
  )
  parser.end()
  const excess = parser.excess()
  if (excess !== undefined) return yield* new TooLarge(excess)
  const broken = parser.broken()
  if (broken !== undefined) return yield* unreadable([broken])

  const issues: Array<Issue> = []
  const found = new Map<string, FormPart>()
  const twice = new Set<string>()
  for (const { name, filename, contentType, headers, bytes } of parser.parts) {
    if (!known.has(name)) continue
    if (found.has(name)) twice.add(name)
    const fault = yield* digestFault(headers, bytes.value)
    if (fault !== undefined) issues.push({ part: name, detail: fault })
    found.set(name, { bytes: bytes.value, ...(filename === undefined ? {} : { filename }), contentType })
  }
  for (const [name, { required }] of known) {
    if (required && !found.has(name)) issues.push({ part: name, detail: "the part is missing" })
    if (twice.has(name)) issues.push({ part: name, detail: "the part was sent more than once" })
  }
  const fault = body === undefined ? undefined : yield* digestFault(request.headers, body.value)
  if (fault !== undefined) issues.push({ detail: fault })
  if (issues.length > 0) return yield* unreadable(issues)
  return found
})
