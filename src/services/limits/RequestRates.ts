import { Context, Deferred, Effect, Exit, Layer } from "effect"
import type { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { BoundedMap } from "../../languages/BoundedMap.ts"
import { monotonicNow } from "../../protocol/MonotonicTime.ts"
import { inBackground } from "../shared/process/Background.ts"
import type { Principal } from "../shared/security/Principal.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Bucket, Meter } from "./Bucket.ts"
import { LimitRefusals } from "./LimitRefusals.ts"
import { type LimitName, type Limits, rateOf } from "./Limits.ts"
import { RateStore } from "./RateStore.ts"
import { TenantRules } from "./TenantRules.ts"

/** Milliseconds that a request waits for a lease before this gateway grants a share of its own. */
const patience = 1000

/** Milliseconds between two attempts to reach a database that is away. */
const probe = 1000

/** Maximum number of principals of a tenant whose buckets a gateway keeps in memory. */
const mostPrincipals = 10_000

/** The buckets of a tenant. */
interface Known {
  readonly limits: Limits
  readonly tenant: Bucket | undefined
  readonly meters: Map<string, Meter>
}

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
    /** Takes a token of each bucket, or of none and fails. */
    readonly take: (meter: Meter) => Effect.Effect<void, LimitExceeded>
  }
>()("flow/limits/RequestRates") {
  static readonly layer = Layer.effect(
    RequestRates,
    Effect.gen(function* () {
      const rules = yield* TenantRules
      const store = yield* RateStore
      const refusals = yield* LimitRefusals
      const tenants = new Map<string, Known>()
      /** Whether the database did not answer the last time, and when it is asked again. */
      let isAway = false
      let askAgainAt = Number.NEGATIVE_INFINITY
      /** Gateways that share the rates, as the last lease has told. */
      let gateways = 1

      const limitsOf = (tenant: string): Limits => (tenant === "" ? rules.general() : rules.limitsOf(TenantId(tenant)))

      const knownOf = (tenant: string): Known => {
        const limits = limitsOf(tenant)
        const before = tenants.get(tenant)
        if (before?.limits === limits) return before
        const rate = tenant === "" ? undefined : rateOf(limits, "requestsPerSecond")
        const bucket = rate && new Bucket({ tenant, principal: "" }, "requestsPerSecond", rate)
        const known = { limits, tenant: bucket, meters: new BoundedMap<string, Meter>(mostPrincipals) }
        tenants.set(tenant, known)
        return known
      }

      const ask = Effect.fnUntraced(function* (bucket: Bucket) {
        const wanted = bucket.wanted(yield* monotonicNow)
        const asked = yield* Effect.exit(Effect.timeout(store.lease(bucket.key, bucket.rate, wanted), patience))
        const at = yield* monotonicNow
        // Whatever has gone wrong, also a defect: no request may wait for it.
        if (Exit.isFailure(asked)) {
          askAgainAt = at + probe
          bucket.grantAlone(at, gateways)
          if (isAway) return
          isAway = true
          yield* Effect.logWarning(
            "The database does not answer: this gateway grants its own share of the rate limits",
            asked.cause
          )
          return
        }
        const lease = asked.value
        gateways = lease.gateways
        bucket.granted(wanted, lease, at)
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
          bucket.grantAlone(at, gateways)
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

      const take: RequestRates["Service"]["take"] = Effect.fnUntraced(function* ({ buckets }) {
        for (;;) {
          const at = yield* monotonicNow
          for (const bucket of buckets) {
            if (bucket.tokens >= 1) continue
            if (isAway) yield* goOnAlone(bucket, at)
            if (bucket.tokens < 1 && at < bucket.emptyUntil) return yield* refuse(bucket, at)
          }
          const lacking = buckets.find(({ tokens }) => tokens < 1)
          if (lacking === undefined) break
          yield* wait(lacking)
        }
        for (const bucket of buckets) bucket.take()
        const at = yield* monotonicNow
        for (const bucket of buckets) {
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
          return known?.limits === limitsOf(tenant) ? known.meters.get(id) : undefined
        },
        meter: (tenant, { id }) => {
          const known = knownOf(tenant)
          const before = known.meters.get(id)
          if (before !== undefined) return before
          const rate = rateOf(known.limits, "requestsPerSecondOfPrincipal")
          const own = rate && new Bucket({ tenant, principal: id }, "requestsPerSecondOfPrincipal", rate)
          const made = new Meter([known.tenant, own].filter((bucket) => bucket !== undefined))
          known.meters.set(id, made)
          return made
        },
        used: (tenant, { id }) => {
          const buckets = tenants.get(tenant)?.meters.get(id)?.buckets ?? []
          return buckets.map(({ limit, usedUp }) => [limit, usedUp] as const)
        },
        take
      })
    })
  )
}
