import { hash, randomBytes } from "node:crypto"
import { BoundedMap } from "../../languages/BoundedMap.ts"

/** Milliseconds after which a verified credential has to be checked again: since its last use, and since its check. */
const idle = 60_000
const longest = 300_000
/** Entries take about 200 bytes each. */
const most = 10_000

interface Verified {
  readonly user: string
  /** The stored hash that the password was checked against. */
  readonly stored: string
  readonly checkedAt: number
  usedAt: number
}

/**
 * Credentials that were verified a short time ago, so that not every request derives a hash. They are kept as a hash
 * with a random key of this process, which never leaves it.
 */
export class VerifiedCredentials {
  readonly #key = randomBytes(16).toString("latin1")
  readonly #entries = new BoundedMap<string, Verified>(most)
  readonly #now: () => number

  /** @param now milliseconds of the monotonic clock */
  constructor(now: () => number) {
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
  }

  /** The id under which a credential is stored here. */
  idOf(credential: string): string {
    return hash("sha256", this.#key + credential, "latin1")
  }

  /** The user whose credential it is, and the stored hash that it was checked against. */
  find(id: string): Verified | undefined {
    const found = this.#entries.get(id)
    if (found === undefined) return undefined
    const now = this.#now()
    if (now - found.usedAt > idle || now - found.checkedAt > longest) {
      this.#entries.delete(id)
      return undefined
    }
    found.usedAt = now
    return found
  }

  add(id: string, user: string, stored: string): void {
    const now = this.#now()
    this.#entries.set(id, { user, stored, checkedAt: now, usedAt: now })
  }

  remove(id: string): void {
    this.#entries.delete(id)
  }
}
