/** A map that keeps the last `most` entries that were set: one more drops the oldest. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: K, value: V): this {
    this.delete(key)
    if (this.size >= this.#most) this.delete(this.keys().next().value!)
    return super.set(key, value)
  }
}
