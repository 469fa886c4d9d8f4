import { BoundedMap } from "../../languages/BoundedMap.ts"

/** Number of wrong passwords that an address may send at once, and how many more per second. */
export const failuresAtOnce = 30
const failuresPerSecond = 1
const mostAddresses = 10_000

/**
 * Limits wrong passwords per address by a token bucket: each failure takes one token, and tokens come back with time.
 */
export class FailedLogins {
  readonly #tries = new BoundedMap<string, { left: number; at: number }>(mostAddresses)
  readonly #now: () => number

  /** @param now milliseconds of the monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  mayTry(network: string): boolean {
    return this.#left(network) >= 1
  }

  failed(network: string): void {
    const left = Math.max(0, this.#left(network) - 1)
    this.#tries.set(network, { left, at: this.#now() })
  }

  #left(network: string): number {
    const found = this.#tries.get(network)
    if (found === undefined) return failuresAtOnce
    return Math.min(failuresAtOnce, found.left + ((this.#now() - found.at) / 1000) * failuresPerSecond)
  }
}
