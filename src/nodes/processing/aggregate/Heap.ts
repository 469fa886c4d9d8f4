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
