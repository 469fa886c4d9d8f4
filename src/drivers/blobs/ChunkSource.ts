import { Readable } from "node:stream"
import { Pipe, type Sink } from "./Pipe.ts"

/** A source that delivers chunks on request. Every `ask` is followed by at least one chunk, `end` or `fail`. */
interface ChunkSource {
  readonly ask: () => void
  /** Pauses until the next `ask`. */
  readonly hold: () => void
  /** Releases the source as `for await` does when it is left early. */
  readonly leave: () => void
}

/**
 * The receiver of the chunks. `chunk` returns whether it has copied the bytes, so that the chunk is no longer needed.
 */
type Taker = Sink

const iterated = (source: AsyncIterable<Uint8Array>, taker: Taker): ChunkSource => {
  const iterator = source[Symbol.asyncIterator]()
  let asked = false
  return {
    ask: () => {
      if (asked) return
      asked = true
      iterator.next().then((next) => {
        asked = false
        if (next.done === true) taker.end()
        else taker.chunk(next.value)
      }, taker.fail)
    },
    hold: () => {},
    leave: () => {
      iterator.return?.().then(undefined, () => {})
    }
  }
}

// The iterator of a Readable joins buffered chunks, which copies every byte; its events do not.
const flowing = (source: Readable, taker: Taker): ChunkSource => {
  let ended = false
  source.pause()
  source.on("data", (chunk: Uint8Array) => taker.chunk(chunk))
  source.on("error", taker.fail)
  source.on("end", () => {
    ended = true
    taker.end()
  })
  const closed = () => {
    if (!ended) taker.fail(source.errored ?? new Error("the source was closed before its end"))
  }
  source.on("close", closed)
  if (source.destroyed) queueMicrotask(closed)
  return { ask: () => source.resume(), hold: () => source.pause(), leave: () => source.destroy() }
}

const piped = (source: Pipe, taker: Taker): ChunkSource => {
  source.into(taker)
  return { ask: () => source.resume(), hold: () => source.pause(), leave: () => source.leave() }
}

/**
 * Starts to deliver the chunks of a source to the taker: of a {@link Pipe}, a Node `Readable`, or any other
 * iterable.
 */
export const chunkSourceOf = (source: AsyncIterable<Uint8Array>, taker: Taker): ChunkSource => {
  if (source instanceof Pipe) return piped(source, taker)
  return source instanceof Readable ? flowing(source, taker) : iterated(source, taker)
}
