/** A group of a window: its values of the grouping fields, and what is counted of it. */
export interface Group<A> {
  readonly values: ReadonlyArray<unknown>
  readonly state: A
}

/** A window of event time, in epoch milliseconds; `end` is exclusive. */
export interface Window<A> {
  readonly start: number
  readonly end: number
  readonly groups: Map<string, Group<A>>
}

/**
 * Open windows of event time. A window closes when the watermark, the latest time seen less the allowed lateness, has
 * reached its end.
 */
export class Windows<A> {
  readonly #size: number
  readonly #slide: number
  readonly #lateness: number
  readonly #open = new Map<number, Window<A>>()
  #watermark = Number.NEGATIVE_INFINITY
  /** The earliest end of an open window. */
  #next = Number.POSITIVE_INFINITY
  groups = 0

  constructor(size: number, slide: number, lateness: number) {
    this.#size = size
    this.#slide = slide
    this.#lateness = lateness
  }

  /** The windows of a time that are still open, made if need be. None when the time is too late. */
  at(time: number): ReadonlyArray<Window<A>> {
    const windows: Array<Window<A>> = []
    const last = Math.floor(time / this.#slide) * this.#slide
    for (let start = last; start > time - this.#size; start -= this.#slide) {
      const end = start + this.#size
      if (end <= this.#watermark) continue
      let window = this.#open.get(start)
      if (window === undefined) {
        window = { start, end, groups: new Map() }
        this.#open.set(start, window)
        this.#next = Math.min(this.#next, end)
      }
      windows.push(window)
    }
    return windows
  }

  /** Moves the watermark with a time that was seen; the windows that are closed by it, in order. */
  advance(time: number): ReadonlyArray<Window<A>> {
    this.#watermark = Math.max(this.#watermark, time - this.#lateness)
    return this.#watermark < this.#next ? [] : this.#take((window) => window.end <= this.#watermark)
  }

  /** All that are open, in order: nothing more will come. */
  close(): ReadonlyArray<Window<A>> {
    return this.#take(() => true)
  }

  #take(isDone: (window: Window<A>) => boolean): ReadonlyArray<Window<A>> {
    const done = [...this.#open.values()].filter(isDone).sort((a, b) => a.start - b.start)
    for (const window of done) {
      this.#open.delete(window.start)
      this.groups -= window.groups.size
    }
    this.#next = Math.min(...[...this.#open.values()].map(({ end }) => end), Number.POSITIVE_INFINITY)
    return done
  }
}
