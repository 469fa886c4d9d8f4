import { Effect, Layer } from "effect"
import * as Anonymous from "../../src/layers/access/Anonymous.ts"
import * as FileLimits from "../../src/layers/access/FileLimits.ts"
import * as Authentication from "../../src/layers/http/guards/Authentication.ts"
import * as Authorization from "../../src/layers/http/guards/Authorization.ts"
import * as RequestRate from "../../src/layers/http/guards/RequestRate.ts"
import { Meter } from "../../src/services/limits/Bucket.ts"
import { LimitRefusals } from "../../src/services/limits/LimitRefusals.ts"
import { RequestRates } from "../../src/services/limits/RequestRates.ts"
import { TenantRules } from "../../src/services/limits/TenantRules.ts"
import { UsageCounters } from "../../src/services/limits/UsageCounters.ts"

const never = (name: string): never => {
  throw new Error(`${name} was not expected to be asked`)
}

const unlimited = Layer.succeed(RequestRates, {
  isLimited: () => false,
  known: () => undefined,
  meter: () => new Meter([]),
  used: () => [],
  take: () => Effect.void
})

/** No tenant is suspended, and no limit is checked. */
export const rules = Layer.succeed(TenantRules, {
  limitsOf: () => never("limitsOf"),
  general: () => never("general"),
  rootsOf: () => ({}),
  isSuspended: () => false,
  suspended: () => [],
  untilSuspended: () => Effect.never,
  untilAllowed: () => Effect.void
})

/** The services around the handlers of every endpoint group: all users may do everything, at any rate. */
export const open = Layer.mergeAll(Authentication.layer, Authorization.layer, RequestRate.layer).pipe(
  Layer.provide([Anonymous.layer, unlimited, rules])
)

/** The limits in the settings, for services that are built without the whole gateway. */
export const openLimits = Layer.mergeAll(
  Layer.provide(FileLimits.layer, Anonymous.layer),
  UsageCounters.layer,
  LimitRefusals.layer
)
