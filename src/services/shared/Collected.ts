import { Effect, Stream } from "effect"

/** All bytes of a stream that has `size` of them: for what is known to be short. */
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
