import { Deferred, Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Blob } from "../../drivers/blobs/Blobs.ts"
import { giveBack, Pipe } from "../../drivers/blobs/Pipe.ts"
import type { BadRequest, Issue } from "../../errors/BadRequest.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { defaultLimits } from "../shared/Settings.ts"
import type { StreamHash } from "../shared/StreamHash.ts"
import { digestFault } from "./Digest.ts"
import { type FormPart, unreadable } from "./Form.ts"
import type { PartRule } from "./FormParser.ts"
import { digestFaultOf, sentDigests } from "./SentDigest.ts"
import { type UploadedFile, type UploadRules, uploadParser } from "./UploadParser.ts"

/** A form whose file is stored: the file's blob, its properties according to the client, and the other parts. */
export interface Upload<A> {
  readonly blob: Blob
  readonly file: UploadedFile
  /** The result of `check` for the small parts. */
  readonly checked: A
}

/** The fault of a content type that is not a form; a boundary has 1 to 70 characters (RFC 2046, section 5.1.1). */
const typeFault = (contentType = ""): string | undefined => {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) return "the content type must be multipart/form-data"
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType)
  const { length } = boundary?.[1] ?? boundary?.[2] ?? ""
  return length === 0 || length > 70 ? "the content type needs a boundary of 1 to 70 characters" : undefined
}

/**
 * Reads a form whose part `file` is streamed to `store`, whatever its size; other parts, before or after it, are held
 * in memory up to their limits. The source passed to `store` ends only when the whole form was received, is
 * well-formed, matches its digests, and `check` accepts its small parts. Nothing becomes visible before, and a refused
 * or broken request leaves nothing behind.
 */
export const readUpload = <A, E1, E2, R1, R2>(
  request: HttpServerRequest.HttpServerRequest,
  hashes: StreamHash["Service"],
  rules: {
    readonly file: string
    readonly most?: UploadRules["most"]
    readonly parts: Readonly<Record<string, PartRule>>
    readonly maxParts?: number
    readonly check: (parts: ReadonlyMap<string, FormPart>, file: UploadedFile) => Effect.Effect<A, E1, R1>
  },
  store: (source: AsyncIterable<Uint8Array>) => Effect.Effect<Blob, E2, R2>
): Effect.Effect<Upload<A>, BadRequest | TooLarge | E1 | E2, R1 | R2> =>
  Effect.gen(function* () {
    const wrongType = typeFault(request.headers["content-type"])
    if (wrongType !== undefined) return yield* unreadable([{ detail: wrongType }])
    const pipe = new Pipe()
    let received: Uint8Array | undefined
    let isCopied = false
    const begun = yield* Deferred.make<void>()
    const known = new Map(Object.entries(rules.parts))
    const parser = uploadParser(
      request.headers,
      {
        file: rules.file,
        most: rules.most,
        parts: known,
        maxParts: rules.maxParts ?? defaultLimits.parts,
        other: { limit: defaultLimits.formField, limitName: "formField" }
      },
      hashes.sha256,
      (chunk) => {
        const isWhole = chunk === received
        isCopied = pipe.push(chunk, isWhole) && isWhole
      }
    )
    const parse = (chunk: Uint8Array) => {
      received = chunk
      isCopied = false
      parser.write(chunk)
      // The chunk was passed on as it is, and its bytes were copied, so its memory can be freed.
      if (isCopied) giveBack(chunk)
    }
    const digests = sentDigests(request.headers)
    const hash = digests.length === 0 ? undefined : hashes.sha256()
    const room = Effect.as(
      Effect.callback<void>((resume) => pipe.whenRoom(() => resume(Effect.void))),
      true
    )
    let isBegun = false

    const receive = Effect.gen(function* () {
      yield* request.stream.pipe(
        Stream.runForEachWhile((chunk) =>
          Effect.suspend(() => {
            hash?.update(chunk)
            parse(chunk)
            if (parser.excess() !== undefined || parser.broken() !== undefined) return Effect.succeed(false)
            const next = pipe.full ? room : Effect.succeed(true)
            if (isBegun || parser.file() === undefined) return next
            isBegun = true
            return Effect.andThen(Deferred.succeed(begun, undefined), next)
          })
        ),
        Effect.mapError(() => unreadable([{ detail: "the body could not be received" }]))
      )
      parser.end()
      const excess = parser.excess()
      if (excess !== undefined) return yield* new TooLarge(excess)
      const broken = parser.broken()
      if (broken !== undefined) return yield* unreadable([broken])
      const { found, issues } = yield* collect(parser.parts, known)
      issues.push(...parser.fileIssues())
      const fault = hash === undefined ? undefined : digestFaultOf(digests, hash.base64())
      if (fault !== undefined) issues.push({ detail: fault })
      const file = parser.file()
      if (issues.length > 0 || file === undefined) return yield* unreadable(issues)
      const checked = yield* rules.check(found, file)
      yield* Effect.sync(() => pipe.end())
      return { file, checked }
    })
    const write = Effect.andThen(Deferred.await(begun), store(pipe))
    // If one of the two fails, the other is interrupted; an interrupted write cleans up first.
    const [{ file, checked }, blob] = yield* Effect.all([receive, write], { concurrency: 2 })
    return { blob, file, checked }
  })

/** The parts that rules name, and their faults. */
const collect = Effect.fnUntraced(function* (
  parts: ReturnType<typeof uploadParser>["parts"],
  known: ReadonlyMap<string, PartRule>
) {
  const issues: Array<Issue> = []
  const found = new Map<string, FormPart>()
  const twice = new Set<string>()
  for (const { name, filename, contentType, headers, bytes } of parts) {
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
  return { found, issues }
})
