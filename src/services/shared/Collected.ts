import { Effect, Stream } from "effect"

/** Collects a stream of `size` bytes in memory. Only for streams that are known to be small. */
export const collected = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, size: number) =>
  Effect.map(Stream.runCollect(bytes), (chunks) => {
    const whole = new Uint8Array(size)
    let at = 0
    for (const chunk of chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole
  })
