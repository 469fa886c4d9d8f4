/** Bytes that may wait in a pipe before its writer has to. */
const highWater = 1024 * 1024

/** Bytes on their way from one who pushes them to one who iterates, once. */
export class Pipe implements AsyncIterable<Uint8Array> {
  #chunks: Array<Uint8Array> = []
  #bytes = 0
  #ended = false
  #left = false
  #failure: { readonly cause: unknown } | undefined
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined
  #writer: (() => void) | undefined

  /** Whether the writer should wait with the next chunk. */
  get full(): boolean {
    return this.#bytes >= highWater && !this.#left
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#ended || this.#left) return
    if (this.#reader !== undefined) {
      this.#answer({ done: false, value: chunk })
      return
    }
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#answer({ done: true, value: undefined })
  }

  fail(cause: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = { cause }
    this.#reader?.reject(cause)
    this.#reader = undefined
  }

  /** Calls back, once, when there is room again or nobody reads any more. */
  whenRoom(callback: () => void): void {
    this.#writer = callback
    if (!this.full) this.#wake()
  }

  /** The reader will not come back: what is pushed from now on is dropped. */
  leave(): void {
    this.#left = true
    this.#chunks = []
    this.#bytes = 0
    this.#wake()
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
    const chunk = this.#chunks.shift()
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
