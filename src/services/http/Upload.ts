import { Deferred, Duration, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Blob } from "../../drivers/blobs/Blobs.ts"
import { giveBack, Pipe } from "../../drivers/blobs/Pipe.ts"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { LimitExceeded } from "../../errors/LimitExceeded.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import type { StreamHash } from "../shared/bytes/StreamHash.ts"
import { RequestMemory } from "../shared/capacity/RequestMemory.ts"
import { Uploads } from "../shared/capacity/Uploads.ts"
import type { DeclaredFile, FormPart, PartRules } from "../shared/requests/FormRules.ts"
import { Settings } from "../shared/settings/Settings.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { receiveBody } from "./BodyReader.ts"
import { digestFaultOf, sentDigests } from "./Digest.ts"
import { formBytes } from "./FormMemory.ts"
import { type FileRule, unreadable } from "./FormParser.ts"
import { parserFor, receive } from "./FormReader.ts"

/**
 * Memory of the file of an upload in bytes: what has arrived, and what is being written to a disk, or sent to an S3
 * storage in parts. It is held as the file comes.
 */
const fileBytes = { disk: 3 * 1024 * 1024, s3: 24 * 1024 * 1024 }

/**
 * The memory that a stalled upload keeps: on a disk the block that is being filled, on an S3 storage its incomplete
 * parts.
 */
const stalledBytes = { disk: 1024 * 1024, s3: fileBytes.s3 }

/** Time without a byte after which an upload counts as stalled. */
const stalledAfter = Duration.seconds(10)

/** A form whose file is stored: the file's blob, its properties according to the client, and the other parts. */
interface Upload<A> {
  readonly blob: Blob
  readonly file: DeclaredFile
  /** The result of the check of the small parts. */
  readonly checked: A
}

/**
 * Holds the memory of what arrives: the small parts are kept, and the file passes through the pipe. A stalled upload
 * gives memory back. Returns how so many further bytes are held: by an effect where they have to wait.
 */
const arrivingMemory = Effect.fnUntraced(function* (
  tenant: TenantId,
  kind: keyof typeof fileBytes,
  pipe: Pipe,
  smallParts: () => number
) {
  const held = yield* (yield* RequestMemory).hold(tenant, formBytes)
  let arrived = 0
  /** With at most so much of the file. */
  const memoryOf = (most: number): number => formBytes + smallParts() + Math.min(arrived, most)
  const shrink = Effect.suspend(() => {
    const before = arrived
    const isStalled = () => arrived === before && arrived > stalledBytes[kind] && !pipe.full
    return Effect.map(Effect.sleep(stalledAfter), () => isStalled() && held.change(memoryOf(stalledBytes[kind])))
  })
  yield* Effect.forkScoped(Effect.forever(shrink))
  return (bytes: number): Effect.Effect<void, Overloaded> | undefined => {
    arrived += bytes
    const needed = memoryOf(fileBytes[kind])
    return held.raise(needed) ? undefined : held.grow(needed)
  }
})

/**
 * Reads a form whose part `file` is streamed to `store`, whatever its size; other parts, before or after it, are held
 * in memory up to their limits. The source passed to `store` ends only when the whole form was received, is
 * well-formed, matches its digests, and `check` accepts its small parts. Nothing becomes visible before, and a refused
 * or broken request leaves nothing behind.
 */
export const readUpload = <A, E1, E2, R1, R2>(
  request: HttpServerRequest.HttpServerRequest,
  hashes: StreamHash["Service"],
  rules: PartRules & {
    readonly tenant: TenantId
    readonly file: string
    readonly most?: FileRule["most"]
    readonly check: (parts: ReadonlyMap<string, FormPart>, file: DeclaredFile) => Effect.Effect<A, E1, R1>
  },
  store: (source: AsyncIterable<Uint8Array>) => Effect.Effect<Blob, E2, R2>
): Effect.Effect<
  Upload<A>,
  BadRequest | LimitExceeded | Overloaded | TooLarge | E1 | E2,
  R1 | R2 | RequestMemory | Settings | Uploads
> =>
  Effect.gen(function* () {
    const { blobs } = yield* Settings
    const uploads = yield* Uploads
    yield* uploads.begin(rules.tenant)
    const pipe = new Pipe()
    const smallParts = (): number => parser.parts.reduce((sum, part) => sum + part.bytes.length, 0)
    const hold = yield* arrivingMemory(rules.tenant, blobs.kind, pipe, smallParts)
    let received: Uint8Array | undefined
    let isCopied = false
    const begun = yield* Deferred.make<void>()
    const parser = yield* parserFor(request, rules, {
      name: rules.file,
      most: rules.most,
      newHash: hashes.sha256,
      take: (chunk) => {
        const isWhole = chunk === received
        isCopied = pipe.push(chunk, isWhole) && isWhole
      }
    })
    const parse = (chunk: Uint8Array) => {
      received = chunk
      isCopied = false
      parser.write(chunk)
      // The whole chunk was passed on and copied, so its memory can be freed.
      if (isCopied) giveBack(chunk)
    }
    const digests = sentDigests(request.headers)
    const hash = digests.length === 0 ? undefined : hashes.sha256()
    const room = Effect.callback<void>((resume) => pipe.whenRoom(() => resume(Effect.void)))
    let isBegun = false
    // No effect for a chunk that has room: there are some thousand of them in a second.
    const write = (chunk: Uint8Array): Effect.Effect<void, Overloaded> | undefined => {
      const wait = hold(chunk.length)
      return wait === undefined ? taken(chunk) : Effect.flatMap(wait, () => taken(chunk) ?? Effect.void)
    }
    const taken = (chunk: Uint8Array): Effect.Effect<void> | undefined => {
      hash?.update(chunk)
      parse(chunk)
      if (parser.refused() !== undefined) return undefined
      if (!isBegun && parser.file() !== undefined) {
        isBegun = true
        Deferred.doneUnsafe(begun, Effect.void)
      }
      return pipe.full ? room : undefined
    }
    const isOver = () => parser.refused() !== undefined
    const bodyFault = Effect.sync(() => (hash === undefined ? undefined : digestFaultOf(digests, hash.base64())))

    const form = Effect.gen(function* () {
      const found = yield* receive(receiveBody(request, write, isOver), parser, rules, bodyFault)
      const file = parser.file()
      if (file === undefined) return yield* unreadable([{ part: rules.file, detail: "the part is missing" }])
      const checked = yield* rules.check(found, file)
      yield* Effect.sync(() => pipe.end())
      return { file, checked }
    })
    const stored = Effect.andThen(Deferred.await(begun), store(pipe))
    // If one fails, the other is interrupted; an interrupted write cleans up before it ends.
    const both = Effect.all([form, stored], { concurrency: 2 })
    const [{ file, checked }, blob] = yield* Effect.tapError(both, (error) =>
      error instanceof TooLarge && error.key !== undefined ? uploads.refused(rules.tenant, error.limit) : Effect.void
    )
    return { blob, file, checked }
  }).pipe(Effect.scoped)
