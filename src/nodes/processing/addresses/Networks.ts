import { type Address, addressOf } from "./Address.ts"

interface Level<A> {
  readonly shift: bigint
  readonly entries: Map<bigint, A>
}

/** Networks such as `10.0.0.0/8`, found by the addresses in them. */
export class Networks<A> {
  /** For each number of bits of an address, the lengths of prefixes, longest first. */
  readonly #levels = { 32: new Map<number, Level<A>>(), 128: new Map<number, Level<A>>() }

  /** Adds a network, or an address, unless it is there. False when the text is neither. */
  add(text: string, entry: A): boolean {
    const [given = "", length] = text.split("/", 2)
    const address = addressOf(given)
    if (address === undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return false
    // An IPv4 network may be written as one in ::ffff:0:0/96.
    const offset = address.bits === 32 && given.includes(":") ? 96 : 0
    const prefix = length === undefined ? address.bits : Number(length) - offset
    if (prefix < 0 || prefix > address.bits || text.split("/").length > 2) return false
    const levels = this.#levels[address.bits]
    let level = levels.get(prefix)
    if (level === undefined) {
      level = { shift: BigInt(address.bits - prefix), entries: new Map() }
      const all = [...levels, [prefix, level] as const].sort(([a], [b]) => b - a)
      levels.clear()
      for (const [prefix, level] of all) levels.set(prefix, level)
    }
    const key = address.value >> level.shift
    if (!level.entries.has(key)) level.entries.set(key, entry)
    return true
  }

  /** The entry of the smallest network with the address; undefined also for a text that is none. */
  find(text: string): A | undefined {
    const address: Address | undefined = addressOf(text)
    if (address === undefined) return undefined
    for (const { shift, entries } of this.#levels[address.bits].values()) {
      const entry = entries.get(address.value >> shift)
      if (entry !== undefined) return entry
    }
    return undefined
  }
}
