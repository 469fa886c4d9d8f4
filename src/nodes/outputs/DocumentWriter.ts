import type { DocumentRecord, Documents } from "../ports/Documents.ts"

/** Maximum number of documents in one write. */
const mostDocuments = 2000
/** Maximum number of pieces in one write; each is about 256 KiB, or one large document. */
const mostPieces = 8
/** Maximum number of concurrent writes: one is sent while the other is processed. */
const lanes = 2

type Rejected = (document: DocumentRecord, reason: string) => void

/**
 * Writes documents; those with equal ids keep their order. Documents that arrive during a write are collected, so many
 * small batches cost no more than a few large ones, and without a running write nothing waits.
 */
export class DocumentWriter {
  readonly #documents: Documents
  readonly #index: string
  readonly #rejected: Rejected
  readonly #waiting: Array<ReadonlyArray<DocumentRecord>> = []
  readonly #writing = new Set<Promise<void>>()
  /** Ids of the documents in running writes. */
  readonly #ids = new Set<string>()
  #failure: { readonly cause: unknown } | undefined

  constructor(documents: Documents, index: string, rejected: Rejected) {
    this.#documents = documents
    this.#index = index
    this.#rejected = rejected
  }

  /** Adds documents; waits while too many are waiting. Rejects when a write has failed. */
  async add(documents: ReadonlyArray<DocumentRecord>): Promise<void> {
    for (let at = 0; at < documents.length; at += mostDocuments) {
      this.#waiting.push(
        at === 0 && documents.length <= mostDocuments ? documents : documents.slice(at, at + mostDocuments)
      )
      this.#start()
      while (this.#waiting.length > mostPieces) await this.#next()
    }
    this.#check()
  }

  /** Waits until all added documents are durable. */
  async flush(): Promise<void> {
    while (this.#writing.size > 0 || this.#waiting.length > 0) await this.#next()
    this.#check()
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.cause
  }

  async #next(): Promise<void> {
    this.#check()
    await Promise.race(this.#writing)
    this.#check()
  }

  #start(): void {
    while (this.#failure === undefined && this.#writing.size < lanes) {
      const pieces = this.#pieces()
      const count = pieces.reduce((sum, piece) => sum + piece.length, 0)
      // A second concurrent write is only worthwhile when it is full.
      const isWorthIt = this.#writing.size === 0 || count >= mostDocuments || pieces.length === mostPieces
      if (count === 0 || !isWorthIt) return
      const documents = pieces.flat()
      if (documents.some(({ id }) => id !== undefined && this.#ids.has(id))) return
      this.#waiting.splice(0, pieces.length)
      const write = this.#write(documents).then(() => {
        this.#writing.delete(write)
        this.#start()
      })
      this.#writing.add(write)
    }
  }

  /** The pieces for the next write. */
  #pieces(): ReadonlyArray<ReadonlyArray<DocumentRecord>> {
    let count = 0
    const end = this.#waiting.findIndex((piece, at) => {
      count += piece.length
      return at > 0 && (count > mostDocuments || at >= mostPieces)
    })
    return end === -1 ? this.#waiting.slice() : this.#waiting.slice(0, end)
  }

  async #write(documents: ReadonlyArray<DocumentRecord>): Promise<void> {
    const ids = documents.flatMap(({ id }) => id ?? [])
    for (const id of ids) this.#ids.add(id)
    try {
      const { rejected } = await this.#documents.write(this.#index, documents)
      for (const { at, reason } of rejected) this.#rejected(documents[at]!, reason)
    } catch (cause) {
      this.#failure ??= { cause }
    } finally {
      for (const id of ids) this.#ids.delete(id)
    }
  }
}
