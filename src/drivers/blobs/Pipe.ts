/** Number of buffered bytes at which the writer should pause. */
const highWater = 1024 * 1024

/**
 * Frees the memory of a chunk at once. Left to the garbage collector, the chunks of a large upload pile up outside the
 * heap, and repeated collections take a third of the time of an upload. Only for a chunk that fills its whole buffer,
 * because others may share the rest.
 */
export const giveBack = ({ buffer, byteLength }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** A reader that receives the bytes as they are pushed. */
export interface Sink {
  /**
   * Returns whether it has copied the bytes and no longer needs the chunk. A chunk that nobody else uses (`isOwn`) may be
   * freed by a sink that has copied it later.
   */
  readonly chunk: (chunk: Uint8Array, isOwn?: boolean) => boolean
  readonly end: () => void
  readonly fail: (cause: unknown) => void
}

/** A one-way pipe from a writer that pushes bytes to one iterating reader or one sink. Can be read once. */
export class Pipe implements AsyncIterable<Uint8Array> {
  #chunks: Array<{ readonly chunk: Uint8Array; readonly isOwn: boolean }> = []
  #bytes = 0
  #ended = false
  #left = false
  #failure: { readonly cause: unknown } | undefined
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined
  #writer: (() => void) | undefined
  #sink: Sink | undefined
  #flows = false
  #drains = false

  /** Whether the writer should pause before the next chunk. */
  get full(): boolean {
    return this.#bytes >= highWater && !this.#left
  }

  /**
   * Returns whether the chunk has already been copied, so that it is no longer needed. A chunk that nobody else uses
   * (`isOwn`) and that is copied later is freed then.
   */
  push(chunk: Uint8Array, isOwn = false): boolean {
    if (chunk.length === 0 || this.#ended || this.#left) return false
    if (this.#reader !== undefined) {
      this.#answer({ done: false, value: chunk })
      return false
    }
    if (this.#sink !== undefined && this.#flows && this.#chunks.length === 0) return this.#sink.chunk(chunk, isOwn)
    this.#chunks.push({ chunk, isOwn })
    this.#bytes += chunk.length
    return false
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#answer({ done: true, value: undefined })
    this.#drain()
  }

  fail(cause: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = { cause }
    this.#reader?.reject(cause)
    this.#reader = undefined
    this.#drain()
  }

  /** Calls back once, when there is room again or the reader has left. */
  whenRoom(callback: () => void): void {
    this.#writer = callback
    if (!this.full) this.#wake()
  }

  /** The reader has left: further chunks are dropped. */
  leave(): void {
    this.#left = true
    this.#chunks = []
    this.#bytes = 0
    this.#wake()
  }

  /** Passes the bytes to the sink instead of an iterator, from the next `resume` on. */
  into(sink: Sink): void {
    this.#sink = sink
  }

  resume(): void {
    this.#flows = true
    this.#drain()
  }

  pause(): void {
    this.#flows = false
  }

  #drain(): void {
    const sink = this.#sink
    if (sink === undefined || this.#drains) return
    this.#drains = true
    while (this.#flows) {
      const next = this.#chunks.shift()
      if (next === undefined) break
      this.#bytes -= next.chunk.length
      if (sink.chunk(next.chunk, next.isOwn) && next.isOwn) giveBack(next.chunk)
    }
    this.#drains = false
    if (this.#left) return
    if (!this.full) this.#wake()
    if (!this.#ended || !this.#flows || this.#chunks.length > 0) return
    this.#sink = undefined
    if (this.#failure === undefined) sink.end()
    else sink.fail(this.#failure.cause)
  }

  #wake(): void {
    const writer = this.#writer
    this.#writer = undefined
    writer?.()
  }

  #answer(result: IteratorResult<Uint8Array>): void {
    this.#reader?.resolve(result)
    this.#reader = undefined
  }

  #next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#chunks.shift()?.chunk
    if (chunk !== undefined) {
      this.#bytes -= chunk.length
      if (!this.full) this.#wake()
      return Promise.resolve({ done: false, value: chunk })
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.cause)
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#reader = Promise.withResolvers()
    return this.#reader.promise
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => this.#next(),
      return: () => {
        this.leave()
        return Promise.resolve({ done: true, value: undefined })
      }
    }
  }
}
