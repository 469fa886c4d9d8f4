import { Context, Effect, Layer } from "effect"
import { type HttpEffect, HttpRouter, HttpServerResponse } from "effect/http"
import * as RequestRateLayer from "../src/layers/http/guards/RequestRate.ts"
import { LimitRefusals } from "../src/services/limits/LimitRefusals.ts"
import { defaultLimitsOf, withLimits } from "../src/services/limits/Limits.ts"
import { RateStore } from "../src/services/limits/RateStore.ts"
import { RequestRates } from "../src/services/limits/RequestRates.ts"
import { TenantRules } from "../src/services/limits/TenantRules.ts"
import { anonymous, CurrentPrincipal } from "../src/services/shared/security/Principal.ts"
import { RequestRate } from "../src/services/shared/security/Security.ts"
import { Settings } from "../src/services/shared/settings/Settings.ts"
import { Tenants } from "../src/services/shared/Tenant.ts"
import { testSettings } from "../test/support/gateway.ts"
import { pinned } from "./measure.ts"

// The processor time to count a request, when no limit is near: `node bench/rate.ts`.

await pinned(import.meta.filename, [1])

const rounds = 500_000
const headers = {
  "content-type": "application/json",
  etag: '"0"',
  "cache-control": "private, no-cache",
  vary: "Accept"
}
const response = HttpServerResponse.text("[]", { headers })
const answer = Effect.succeed(response)
/** Holds what a request does at its end, here the handler that adds the headers. */
const state: { preResponseHandler: HttpEffect.PreResponseHandler | undefined } = { preResponseHandler: undefined }
const ended = Effect.suspend(() => state.preResponseHandler?.({} as never, response) ?? answer)
const params = { tenant: "mytenant" }
const request = Context.makeUnsafe<HttpRouter.RouteContext>(
  new Map<string, unknown>([
    [HttpRouter.RouteContext.key, { params, route: undefined }],
    [CurrentPrincipal.key, anonymous],
    ["effect/http/HttpEffect/CurrentRequestState", state]
  ])
)

const measured = (name: string, given: { readonly requestsPerSecond: number | null }) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const limits = withLimits(defaultLimitsOf(settings), {
      ...given,
      requestsPerSecondOfPrincipal: given.requestsPerSecond
    })
    const rules = Layer.succeed(TenantRules, {
      limitsOf: () => limits,
      general: () => limits,
      rootsOf: () => ({}),
      isSuspended: () => false,
      suspended: () => [],
      untilSuspended: () => Effect.never,
      untilAllowed: () => Effect.void
    })
    const full = Layer.succeed(RateStore, {
      lease: (_, __, tokens) => Effect.succeed({ granted: tokens, left: 1e9, gateways: 1 }),
      sweep: Effect.void
    })
    const layer = RequestRateLayer.layer.pipe(
      Layer.provide(RequestRates.layer),
      Layer.provide([rules, full, LimitRefusals.layer, Layer.mock(Tenants)({ exists: () => Effect.succeed(true) })])
    )
    const middleware = Context.get(yield* Layer.build(layer), RequestRate)
    const counted = middleware(answer as never, {} as never) as Effect.Effect<HttpServerResponse.HttpServerResponse>
    const run = (effect: Effect.Effect<unknown>) =>
      Effect.gen(function* () {
        const before = process.cpuUsage()
        for (let round = 0; round < rounds; round++) {
          state.preResponseHandler = undefined
          yield* effect
          yield* ended
        }
        const { user, system } = process.cpuUsage(before)
        return ((user + system) * 1000) / rounds
      }).pipe(Effect.provideContext(request as Context.Context<never>))
    for (let warm = 0; warm < 2; warm++) yield* Effect.all([run(answer), run(counted)])
    const [plain, all] = yield* Effect.all([run(answer), run(counted)])
    console.log(`${name}: ${Math.round(all - plain)} ns a request`)
  }).pipe(Effect.scoped, Effect.provide(testSettings({ data: "none", databaseUrl: "postgres://unused" })))

await Effect.runPromise(
  Effect.andThen(
    measured("without a limit", { requestsPerSecond: null }),
    measured("with two limits that are far", { requestsPerSecond: 1e9 })
  )
)
