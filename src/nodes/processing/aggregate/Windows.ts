import type { Fields } from "../../../languages/FieldPath.ts"

/** A min-heap of numbers. */
export class Heap {
  readonly #items: Array<number> = []

  get first(): number | undefined {
    return this.#items[0]
  }

  push(item: number): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (items[above]! <= item) break
      items[at] = items[above]!
      at = above
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= items.length) break
      if (below + 1 < items.length && items[below + 1]! < items[below]!) below++
      if (items[below]! >= last) break
      items[at] = items[below]!
      at = below
    }
    items[at] = last
    return first
  }
}

/** A group of a window: its values of the grouping fields, and its metrics. */
export interface Group<A> {
  readonly values: ReadonlyArray<unknown>
  /** The grouping fields that may be elements of lists, in such lists. */
  readonly elements: Fields | undefined
  readonly state: A
}

/** A window of event time, in epoch milliseconds; `end` is exclusive. */
export interface Window<A> {
  readonly start: number
  readonly end: number
  readonly groups: Map<string, Group<A>>
}

/**
 * Open windows of event time. A window closes when the watermark, the latest time so far minus the allowed lateness,
 * has reached its end.
 */
export class Windows<A> {
  readonly #size: number
  readonly #slide: number
  readonly #lateness: number
  readonly #open = new Map<number, Window<A>>()
  #watermark = Number.NEGATIVE_INFINITY
  /** The starts of the open windows, which end in the same order. */
  readonly #starts = new Heap()
  groups = 0

  constructor(size: number, slide: number, lateness: number) {
    this.#size = size
    this.#slide = slide
    this.#lateness = lateness
  }

  /**
   * The windows that contain the time and are not closed, including those that are not open yet. Empty for a late time.
   */
  at(time: number): ReadonlyArray<Window<A>> {
    const windows: Array<Window<A>> = []
    const last = Math.floor(time / this.#slide) * this.#slide
    for (let start = last; start > time - this.#size; start -= this.#slide) {
      const end = start + this.#size
      if (end <= this.#watermark) continue
      windows.push(this.#open.get(start) ?? { start, end, groups: new Map() })
    }
    return windows
  }

  /** Adds a group to a window returned by {@link at}. */
  add(window: Window<A>, key: string, group: Group<A>): void {
    if (!this.#open.has(window.start)) {
      this.#open.set(window.start, window)
      this.#starts.push(window.start)
    }
    window.groups.set(key, group)
    this.groups++
  }

  /** Advances the watermark to a time. */
  advance(time: number): void {
    this.#watermark = Math.max(this.#watermark, time - this.#lateness)
  }

  /** Closes the first window whose end the watermark has reached, or any with `all`; undefined when there is none. */
  close(all = false): Window<A> | undefined {
    const start = this.#starts.first
    if (start === undefined || (!all && start + this.#size > this.#watermark)) return undefined
    this.#starts.pop()
    const window = this.#open.get(start)
    this.#open.delete(start)
    this.groups -= window?.groups.size ?? 0
    return window
  }
}
