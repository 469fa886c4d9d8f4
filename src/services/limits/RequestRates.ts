import { Clock, Context, Deferred, Effect, Layer } from "effect"
import type { LimitExceeded } from "../../errors/LimitExceeded.ts"
import type { Principal } from "../shared/Access.ts"
import { inBackground } from "../shared/Background.ts"
import { TenantId } from "../shared/Tenant.ts"
import { type LimitName, type Limits, type Rate, rateOf } from "./Limits.ts"
import { type BucketKey, RateStore } from "./RateStore.ts"
import { Refusals } from "./Refusals.ts"
import { TenantRules } from "./TenantRules.ts"

/** Seconds of a rate that a gateway leases at most. It holds them until they are used. */
export const leasedSeconds = 0.25

/** Milliseconds that a request waits for a lease before this gateway grants a share of its own. */
const patience = 1000

/** Milliseconds between two attempts to reach a database that is away. */
const probe = 1000

/** Maximum number of principals of a tenant whose buckets a gateway keeps in memory. */
const mostPrincipals = 10_000

/** The largest lease of a rate. */
export const mostLeased = ({ perSecond }: Rate): number => Math.max(1, Math.floor(perSecond * leasedSeconds))

/** The tokens of one bucket that this gateway holds. */
class Bucket {
  readonly key: BucketKey
  readonly rate: Rate
  readonly limit: LimitName
  /** Value of the header field `RateLimit-Policy`. */
  readonly policy: string
  readonly #name: string
  tokens = 0
  /** What was left for all gateways after the last lease. */
  left: number
  /** Tokens at and below which the next lease begins in the background. */
  reserve = 0
  /** When the last lease ended, and the tokens that were used since. */
  leasedAt = Number.NEGATIVE_INFINITY
  used = 0
  waiting = 0
  /** Until then, in milliseconds, the bucket of all gateways has no token. */
  emptyUntil = Number.NEGATIVE_INFINITY
  leasing: Deferred.Deferred<void> | undefined
  /** Since when this gateway grants a share of its own, because the database is away. */
  aloneSince: number | undefined

  constructor(key: BucketKey, limit: LimitName, rate: Rate) {
    this.key = key
    this.limit = limit
    this.rate = rate
    this.left = rate.capacity
    this.#name = key.principal === "" ? "tenant" : "principal"
    this.policy = `"${this.#name}";q=${rate.capacity};w=${Math.ceil(rate.capacity / rate.perSecond)}`
  }

  take(): void {
    this.tokens--
    this.used++
  }

  /** Tokens that are missing in the bucket, as far as this gateway knows. */
  get usedUp(): number {
    const { capacity } = this.rate
    return Math.min(capacity, Math.max(0, capacity - Math.floor(this.tokens + this.left)))
  }

  /** Value of the header field `RateLimit`: what is left, and the seconds until the bucket is full. */
  get remaining(): string {
    const { capacity, perSecond } = this.rate
    return `"${this.#name}";r=${capacity - this.usedUp};t=${Math.ceil(this.usedUp / perSecond)}`
  }

  /** Tokens of the next lease: what the last seconds have used, and what waits. */
  wanted(now: number): number {
    const seconds = Math.max(0.001, (now - this.leasedAt) / 1000)
    const usual = Math.ceil((this.used / seconds) * leasedSeconds)
    const room = mostLeased(this.rate) - Math.floor(this.tokens)
    return Math.max(1, this.waiting, Math.min(room, usual))
  }
}

/** The buckets of a tenant. */
interface Known {
  readonly limits: Limits
  readonly tenant: Bucket | undefined
  readonly principals: Map<string, Bucket>
}

/** The buckets that a request has to take a token of. */
export type Meter = ReadonlyArray<Bucket>

/**
 * Counts requests of tenants and principals. The buckets are in the database, so that they hold for all gateways; each
 * gateway leases tokens and hands them out from memory, so that hardly any request waits for the database.
 */
export class RequestRates extends Context.Service<
  RequestRates,
  {
    /** Whether requests to the tenant are counted. The tenant "" stands for requests to none. */
    readonly isLimited: (tenant: string) => boolean
    /** The buckets of a principal that has sent requests to the tenant before. */
    readonly known: (tenant: string, principal: Principal) => Meter | undefined
    /** The buckets of a principal. The caller has made sure that the tenant exists and the principal may see it. */
    readonly meter: (tenant: string, principal: Principal) => Meter
    /** Requests of the last burst, as far as this gateway knows: what of each rate is used up. */
    readonly used: (tenant: TenantId, principal: Principal) => ReadonlyArray<readonly [LimitName, number]>
    /** Takes a token of each bucket if each has one in memory. */
    readonly tryTake: (meter: Meter) => boolean
    /** Takes a token of each bucket, or of none and fails. */
    readonly take: (meter: Meter) => Effect.Effect<void, LimitExceeded>
  }
>()("flow/limits/RequestRates") {
  static readonly layer = Layer.effect(
    RequestRates,
    Effect.gen(function* () {
      const rules = yield* TenantRules
      const store = yield* RateStore
      const refusals = yield* Refusals
      const tenants = new Map<string, Known>()
      /** Whether the database did not answer the last time, and when it is asked again. */
      let isAway = false
      let askAgainAt = Number.NEGATIVE_INFINITY
      /** Gateways that share the rates, as the last lease has told. */
      let gateways = 1

      const limitsOf = (tenant: string): Limits => (tenant === "" ? rules.general() : rules.limitsOf(TenantId(tenant)))
      const now = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1_000_000)

      const knownOf = (tenant: string): Known => {
        const limits = limitsOf(tenant)
        const before = tenants.get(tenant)
        if (before?.limits === limits) return before
        const rate = tenant === "" ? undefined : rateOf(limits, "requestsPerSecond")
        const bucket = rate && new Bucket({ tenant, principal: "" }, "requestsPerSecond", rate)
        const known = { limits, tenant: bucket, principals: new Map<string, Bucket>() }
        tenants.set(tenant, known)
        return known
      }

      /** This gateway's own share of a rate while the database is away. */
      const grantAlone = (bucket: Bucket, at: number) => {
        const share = 1 / gateways
        const { capacity, perSecond } = bucket.rate
        const most = Math.max(1, share * capacity)
        const since = bucket.aloneSince
        const more = since === undefined ? most : ((at - since) / 1000) * perSecond * share
        bucket.aloneSince = at
        bucket.tokens = Math.max(bucket.tokens, Math.min(most, bucket.tokens + more))
        bucket.reserve = 0
        bucket.left = 0
        bucket.emptyUntil =
          bucket.tokens >= 1 ? Number.NEGATIVE_INFINITY : at + ((1 - bucket.tokens) / perSecond) * 1000
      }

      const granted = (bucket: Bucket, wanted: number, lease: { granted: number; left: number }, at: number) => {
        // What this gateway granted alone was not in the bucket of all.
        if (bucket.aloneSince !== undefined) bucket.tokens = 0
        bucket.aloneSince = undefined
        bucket.tokens += lease.granted
        bucket.left = lease.left
        bucket.reserve = lease.granted > 1 ? Math.floor(lease.granted / 2) : 0
        bucket.leasedAt = at
        bucket.used = 0
        bucket.emptyUntil =
          lease.granted < wanted
            ? at + (Math.max(0, 1 - lease.left) / bucket.rate.perSecond) * 1000
            : Number.NEGATIVE_INFINITY
      }

      const ask = Effect.fnUntraced(function* (bucket: Bucket) {
        const wanted = bucket.wanted(yield* now)
        const lease = yield* Effect.timeoutOption(store.lease(bucket.key, bucket.rate, wanted), patience).pipe(
          Effect.orElseSucceed(() => undefined),
          Effect.map((found) => (found?._tag === "Some" ? found.value : undefined))
        )
        const at = yield* now
        if (lease === undefined) {
          askAgainAt = at + probe
          grantAlone(bucket, at)
          if (isAway) return
          isAway = true
          yield* Effect.logWarning("The database does not answer: this gateway grants its own share of the rate limits")
          return
        }
        gateways = lease.gateways
        granted(bucket, wanted, lease, at)
        if (!isAway) return
        isAway = false
        yield* Effect.logInfo("The database answers: rate limits hold for all gateways together again")
      })

      /** Begins a lease, unless one is under way. It goes on when the request that began it has gone. */
      const lease = (bucket: Bucket): Effect.Effect<Deferred.Deferred<void>> =>
        Effect.suspend(() => {
          if (bucket.leasing !== undefined) return Effect.succeed(bucket.leasing)
          const leasing = Deferred.makeUnsafe<void>()
          bucket.leasing = leasing
          const work = Effect.ensuring(
            ask(bucket),
            Effect.suspend(() => {
              bucket.leasing = undefined
              return Deferred.succeed(leasing, undefined)
            })
          )
          return Effect.as(Effect.forkDetach(work, { startImmediately: true }), leasing)
        })

      /** Grants this gateway's own share, and asks the database from time to time whether it is back. */
      const goOnAlone = (bucket: Bucket, at: number) =>
        Effect.suspend(() => {
          grantAlone(bucket, at)
          if (at < askAgainAt) return Effect.void
          askAgainAt = at + probe
          return lease(bucket)
        })

      const wait = Effect.fnUntraced(function* (bucket: Bucket) {
        bucket.waiting++
        yield* Effect.ensuring(
          Effect.flatMap(lease(bucket), Deferred.await),
          Effect.sync(() => bucket.waiting--)
        )
      })

      const refuse = ({ key: { tenant, principal }, limit, rate, emptyUntil }: Bucket, at: number) => {
        const seconds = Math.max(1, Math.ceil((emptyUntil - at) / 1000))
        const key = [...(tenant === "" ? [] : [`tenant:${tenant}`]), ...(principal === "" ? [] : [principal])].join(" ")
        return refusals.refuse(tenant, {
          limit,
          value: rate.perSecond,
          used: rate.perSecond + 1,
          key,
          retryAfter: seconds,
          detail: `More than ${rate.perSecond} requests per second of ${key}, which is the limit ${limit}`
        })
      }

      const tryTake = (meter: Meter): boolean => {
        for (const bucket of meter) if (bucket.tokens < 1 || bucket.tokens <= bucket.reserve) return false
        for (const bucket of meter) bucket.take()
        return true
      }

      const take: RequestRates["Service"]["take"] = Effect.fnUntraced(function* (meter) {
        for (;;) {
          const at = yield* now
          for (const bucket of meter) {
            if (bucket.tokens >= 1) continue
            if (isAway) yield* goOnAlone(bucket, at)
            if (bucket.tokens < 1 && at < bucket.emptyUntil) return yield* refuse(bucket, at)
          }
          const lacking = meter.find(({ tokens }) => tokens < 1)
          if (lacking === undefined) break
          yield* wait(lacking)
        }
        for (const bucket of meter) bucket.take()
        const at = yield* now
        for (const bucket of meter) {
          const isDue = bucket.tokens <= bucket.reserve && bucket.reserve > 0 && at >= bucket.emptyUntil
          if (isDue) yield* lease(bucket)
        }
      })

      yield* inBackground("The sweep of request rates", Effect.ignore(store.sweep), "1 hour")

      return RequestRates.of({
        isLimited: (tenant) => {
          const { requestsPerSecond, requestsPerSecondOfPrincipal } = limitsOf(tenant)
          return requestsPerSecondOfPrincipal.value !== undefined || requestsPerSecond.value !== undefined
        },
        known: (tenant, { id }) => {
          const known = tenants.get(tenant)
          if (known === undefined || known.limits !== limitsOf(tenant)) return undefined
          const own = known.principals.get(id)
          if (own === undefined) return undefined
          return known.tenant === undefined ? [own] : [known.tenant, own]
        },
        meter: (tenant, { id }) => {
          const known = knownOf(tenant)
          const rate = rateOf(known.limits, "requestsPerSecondOfPrincipal")
          let own = known.principals.get(id)
          if (own === undefined && rate !== undefined) {
            own = new Bucket({ tenant, principal: id }, "requestsPerSecondOfPrincipal", rate)
            const [oldest] = known.principals.keys()
            if (known.principals.size >= mostPrincipals && oldest !== undefined) known.principals.delete(oldest)
            known.principals.set(id, own)
          }
          return [known.tenant, own].filter((bucket) => bucket !== undefined)
        },
        used: (tenant, { id }) => {
          const known = tenants.get(tenant)
          return [known?.tenant, known?.principals.get(id)].flatMap((bucket) =>
            bucket === undefined ? [] : [[bucket.limit, bucket.usedUp] as const]
          )
        },
        tryTake,
        take
      })
    })
  )
}
