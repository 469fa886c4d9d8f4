/** A line of the output of a run. */
export interface Line {
  readonly seq: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly component: string
  readonly text: string
}

/** Size at which a chunk is complete: lines or characters, whichever comes first. */
const chunkLines = 1024
const chunkCharacters = 256 * 1024
/** Number of chunks whose decoded texts are cached: those around the visible lines. */
const mostDecoded = 16

/** Consecutive lines, as bytes: an object per line would take ten times the memory for a million lines. */
interface Chunk {
  /** The index of its first line in the log. */
  readonly start: number
  readonly count: number
  readonly bytes: Uint8Array
  /** The end of each text in `bytes`. */
  readonly ends: Uint32Array
  readonly seqs: Float64Array
  readonly times: Float64Array
  readonly components: Uint16Array
}

/** Binary search: the first of `count` sorted places that is not before the target; `count` if all are before it. */
const firstNotBefore = (count: number, isBefore: (at: number) => boolean): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * All lines that a run has printed, in little memory: the bytes of their texts and 22 bytes for each. The gateway keeps
 * at most 64 MiB per run, so a page can hold all of it, search in it and jump anywhere without another request.
 */
export class OutputLog {
  readonly #chunks: Array<Chunk> = []
  #open: Array<Line> = []
  #openCharacters = 0
  readonly #names: Array<string> = []
  readonly #numbers = new Map<string, number>()
  readonly #decoded = new Map<number, ReadonlyArray<string>>()

  /** Number of lines. */
  length = 0
  /** The gateway's number of the last line. */
  last = 0

  /** Appends a line. A line that is present already is ignored. */
  add(line: Line): void {
    if (line.seq <= this.last) return
    this.last = line.seq
    this.length++
    this.#open.push(line)
    this.#openCharacters += line.text.length
    if (this.#open.length >= chunkLines || this.#openCharacters >= chunkCharacters) this.#seal()
  }

  /** Bytes used by the sealed lines. */
  get bytes(): number {
    return this.#chunks.reduce((sum, { bytes, count }) => sum + bytes.length + 22 * count, 0)
  }

  #numberOf(component: string): number {
    const known = this.#numbers.get(component)
    if (known !== undefined) return known
    const number = this.#names.push(component) - 1
    this.#numbers.set(component, number)
    return number
  }

  #seal(): void {
    const lines = this.#open
    const count = lines.length
    const ends = new Uint32Array(count)
    const texts = lines.map(({ text }) => encoder.encode(text))
    const bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const [at, text] of texts.entries()) {
      bytes.set(text, end)
      end += text.length
      ends[at] = end
    }
    this.#chunks.push({
      start: this.length - count,
      count,
      bytes,
      ends,
      seqs: Float64Array.from(lines, ({ seq }) => seq),
      times: Float64Array.from(lines, ({ at }) => at),
      components: Uint16Array.from(lines, ({ component }) => this.#numberOf(component))
    })
    this.#open = []
    this.#openCharacters = 0
  }

  /** The chunk of a line; undefined for lines that are not sealed yet. */
  #chunkOf(index: number): number | undefined {
    const number = firstNotBefore(this.#chunks.length, (at) => {
      const { start, count } = this.#chunks[at]!
      return start + count <= index
    })
    return number < this.#chunks.length ? number : undefined
  }

  #textsOf(number: number): ReadonlyArray<string> {
    const known = this.#decoded.get(number)
    if (known !== undefined) return known
    const { bytes, ends } = this.#chunks[number]!
    const texts = Array.from(ends, (end, at) => decoder.decode(bytes.subarray(at === 0 ? 0 : ends[at - 1], end)))
    if (this.#decoded.size >= mostDecoded) this.#decoded.delete(this.#decoded.keys().next().value!)
    this.#decoded.set(number, texts)
    return texts
  }

  /** A line by its index, from 0. */
  at(index: number): Line | undefined {
    if (index < 0 || index >= this.length) return undefined
    const number = this.#chunkOf(index)
    if (number === undefined) return this.#open[index - (this.length - this.#open.length)]
    const { start, seqs, times, components } = this.#chunks[number]!
    const at = index - start
    return {
      seq: seqs[at]!,
      at: times[at]!,
      component: this.#names[components[at]!] ?? "",
      text: this.#textsOf(number)[at]!
    }
  }

  /** The index of the line with this number of the gateway, or of the next one. */
  indexOf(seq: number): number {
    return firstNotBefore(this.length, (at) => this.at(at)!.seq < seq)
  }

  /**
   * Searches for a text, ignoring case, from a line on. One call covers one chunk, about as much as fits into a frame.
   *
   * @returns the line to continue from
   */
  search(wanted: string, from: number, found: (index: number) => void): number {
    const number = this.#chunkOf(from)
    if (number === undefined) {
      for (let index = from; index < this.length; index++) {
        if (this.at(index)!.text.toLowerCase().includes(wanted)) found(index)
      }
      return this.length
    }
    const { start, count, bytes, ends } = this.#chunks[number]!
    // Most chunks have no match, and decoding one text is faster than decoding a thousand.
    if (!decoder.decode(bytes).toLowerCase().includes(wanted)) return start + count
    for (let at = from - start; at < count; at++) {
      const text = decoder.decode(bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at]))
      if (text.toLowerCase().includes(wanted)) found(start + at)
    }
    return start + count
  }
}

/** Numbers in ascending order, in little memory. */
export class Numbers {
  #values = new Uint32Array(1024)
  length = 0

  add(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  at(index: number): number | undefined {
    return index < this.length ? this.#values[index] : undefined
  }

  /** The index of the first value that is at least this one. */
  from(value: number): number {
    return firstNotBefore(this.length, (at) => this.#values[at]! < value)
  }
}
