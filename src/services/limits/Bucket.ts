import type { Deferred } from "effect"
import type { LimitName, Rate } from "./Limits.ts"
import type { BucketKey, Lease } from "./RateStore.ts"

/** Seconds of a rate that a gateway leases at most. It holds them until they are used. */
const leasedSeconds = 0.25

/** The largest lease of a rate. */
export const mostLeased = ({ perSecond }: Rate): number => Math.max(1, Math.floor(perSecond * leasedSeconds))

/** The tokens of one bucket that this gateway holds. */
export class Bucket {
  readonly key: BucketKey
  readonly rate: Rate
  readonly limit: LimitName
  /** Value of the header field `RateLimit-Policy`. */
  readonly policy: string
  readonly #name: string
  tokens = 0
  /** What was left for all gateways after the last lease. */
  #left: number
  /** Tokens at and below which the next lease begins in the background. */
  reserve = 0
  /** When the last lease ended, and the tokens that were used since. */
  #leasedAt = Number.NEGATIVE_INFINITY
  #used = 0
  waiting = 0
  /** Until then, in milliseconds, the bucket of all gateways has no token. */
  emptyUntil = Number.NEGATIVE_INFINITY
  leasing: Deferred.Deferred<void> | undefined
  /** When this gateway last granted a share of its own, because the database is away. */
  #aloneSince: number | undefined

  constructor(key: BucketKey, limit: LimitName, rate: Rate) {
    this.key = key
    this.limit = limit
    this.rate = rate
    this.#left = rate.capacity
    this.#name = key.principal === "" ? "tenant" : "principal"
    this.policy = `"${this.#name}";q=${rate.capacity};w=${Math.ceil(rate.capacity / rate.perSecond)}`
  }

  take(): void {
    this.tokens--
    this.#used++
  }

  /** Tokens that are missing in the bucket, as far as this gateway knows. */
  get usedUp(): number {
    const { capacity } = this.rate
    return Math.min(capacity, Math.max(0, capacity - Math.floor(this.tokens + this.#left)))
  }

  /** Whether what is used up differs by more than a hundredth of the bucket, or nothing is left. */
  hasChanged(before: number): boolean {
    const { usedUp, rate } = this
    return usedUp !== before && (Math.abs(usedUp - before) > rate.capacity / 100 || usedUp === rate.capacity)
  }

  /** Value of the header field `RateLimit`: what is left, and the seconds until the bucket is full. */
  get remaining(): string {
    const { capacity, perSecond } = this.rate
    return `"${this.#name}";r=${capacity - this.usedUp};t=${Math.ceil(this.usedUp / perSecond)}`
  }

  /** Tokens of the next lease: what the last seconds have used, and what waits. */
  wanted(now: number): number {
    const seconds = Math.max(0.001, (now - this.#leasedAt) / 1000)
    const usual = Math.ceil((this.#used / seconds) * leasedSeconds)
    const room = mostLeased(this.rate) - Math.floor(this.tokens)
    return Math.max(1, this.waiting, Math.min(room, usual))
  }

  /** Adds the tokens of a lease. */
  granted(wanted: number, { granted, left }: Lease, at: number): void {
    // What this gateway granted alone was not in the bucket of all.
    if (this.#aloneSince !== undefined) this.tokens = 0
    this.#aloneSince = undefined
    this.tokens += granted
    this.#left = left
    this.reserve = granted > 1 ? Math.floor(granted / 2) : 0
    this.#leasedAt = at
    this.#used = 0
    const isEmpty = granted < wanted
    // At least a millisecond, so that nobody asks for a token that is as good as there again and again.
    this.emptyUntil = isEmpty ? at + Math.max(1, this.#millisFor(1 - left)) : Number.NEGATIVE_INFINITY
  }

  /** Adds this gateway's own share of the rate, while the database is away. It begins with a share of a full bucket. */
  grantAlone(at: number, gateways: number): void {
    const most = Math.max(1, this.rate.capacity / gateways)
    const since = this.#aloneSince
    const more = since === undefined ? most : ((at - since) / 1000) * (this.rate.perSecond / gateways)
    this.#aloneSince = at
    this.tokens = Math.max(this.tokens, Math.min(most, this.tokens + more))
    this.reserve = 0
    this.#left = 0
    const isEmpty = this.tokens < 1
    this.emptyUntil = isEmpty ? at + this.#millisFor(1 - this.tokens) * gateways : Number.NEGATIVE_INFINITY
  }

  #millisFor(tokens: number): number {
    return (Math.max(0, tokens) / this.rate.perSecond) * 1000
  }
}

/** The buckets that a request has to take a token of: the tenant's and the principal's, as far as they are limited. */
export class Meter {
  readonly buckets: ReadonlyArray<Bucket>
  /** Value of the header field `RateLimit-Policy`. */
  readonly policy: string
  #ratelimit: string | undefined
  /** What was used up when the field was made. */
  #told: ReadonlyArray<number> = []

  constructor(buckets: ReadonlyArray<Bucket>) {
    this.buckets = buckets
    this.policy = buckets.map(({ policy }) => policy).join(", ")
  }

  /** Takes a token of each bucket if each has one in memory. */
  tryTake(): boolean {
    for (const bucket of this.buckets) if (bucket.tokens < 1 || bucket.tokens <= bucket.reserve) return false
    for (const bucket of this.buckets) bucket.take()
    return true
  }

  /** Value of the header field `RateLimit`, made again when more than a hundredth of a bucket has changed. */
  get ratelimit(): string {
    if (this.#ratelimit === undefined || this.buckets.some((bucket, at) => bucket.hasChanged(this.#told[at] ?? 0))) {
      this.#told = this.buckets.map(({ usedUp }) => usedUp)
      this.#ratelimit = this.buckets.map(({ remaining }) => remaining).join(", ")
    }
    return this.#ratelimit
  }
}
