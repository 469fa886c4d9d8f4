import { createHash } from "node:crypto"
import { Effect, Exit, Stream } from "effect"

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Bytes that no compressor or page of zeros can stand for; the same for the same seed. */
export const noise = (size: number, seed = 1): Buffer => {
  const bytes = Buffer.allocUnsafe(size)
  let state = seed >>> 0 || 1
  for (let at = 0; at < size; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[at] = state
  }
  return bytes
}

/** The bytes cut into pieces of the given lengths, again and again. */
export async function* cut(bytes: Uint8Array, lengths: ReadonlyArray<number> = [65_536]) {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    yield bytes.subarray(at, at + length)
    at += length
    if (length === 0 && lengths.every((other) => other === 0)) return
  }
}

export const joined = <E>(stream: Stream.Stream<Uint8Array, E>): Effect.Effect<Buffer, E> =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks))

/** What a reader gets until the end, or until the read fails. */
export const received = Effect.fnUntraced(function* <E, F, R>(read: Effect.Effect<Stream.Stream<Uint8Array, F>, E, R>) {
  const chunks: Array<Uint8Array> = []
  const whole = Effect.flatMap(read, (stream) =>
    Stream.runForEach(stream, (chunk) => Effect.sync(() => void chunks.push(chunk)))
  )
  const exit = yield* Effect.exit(whole)
  return { isWhole: Exit.isSuccess(exit), bytes: Buffer.concat(chunks) }
})
