import { Context, Effect, Layer } from "effect"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { LimitExceeded } from "../../errors/LimitExceeded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TenantSuspended } from "../../errors/TenantSuspended.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { bodyTypes } from "../../nodes/formats/BodyRecords.ts"
import { recordOf } from "../../nodes/formats/TextReader.ts"
import type { TriggerBody } from "../../protocol/Trigger.ts"
import { Audit } from "../audit/Audit.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { RateStore } from "../limits/RateStore.ts"
import { RequestRates } from "../limits/RequestRates.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { CurrentPrincipal, type Principal } from "../shared/Access.ts"
import { type TenantId, Tenants } from "../shared/Tenant.ts"
import { Firings } from "./Firings.ts"
import type { Firing, ScheduleRequest } from "./Schedule.ts"
import { type NewFiring, type ScheduleKey, ScheduleStore } from "./ScheduleStore.ts"
import { hookToken, sha256Of } from "./Schedules.ts"
import { definitionOf } from "./StoredDefinition.ts"

const usualPerMinute = 60

/** A webhook whose token was sent. */
export interface Hook extends ScheduleKey {
  readonly webhook: NonNullable<ScheduleRequest["trigger"]["webhook"]>
}

/** Takes as long whatever the bytes are, so that the time tells nothing of a token. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean => {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ (other[at] ?? 0)
  return difference === 0
}

const none = new Uint8Array(32)

const unreadable = (detail: string) =>
  new BadRequest({ detail: "The body is invalid", issues: [{ part: "body", pointer: "", detail }] })

const hookPrincipal = ({ name }: ScheduleKey): Principal => ({ id: `hook:${name}`, method: "key", grants: new Map() })

/** What a body gives the firing. Whatever the run could not read is refused. */
const givenBy = (
  { body: use = "records" }: Hook["webhook"],
  { type, text }: TriggerBody
): Effect.Effect<Pick<NewFiring, "body" | "parameters">, BadRequest | UnsupportedMediaType> =>
  Effect.gen(function* () {
    if (text === "") return {}
    if (use === "records" ? !bodyTypes.has(type) : type !== "application/json") {
      const expected = use === "records" ? "application/json, application/x-ndjson or text/plain" : "application/json"
      return yield* new UnsupportedMediaType({
        detail: `The body has the media type ${JSON.stringify(type)}; send it with Content-Type: ${expected}`
      })
    }
    if (text.includes("\u0000")) return yield* unreadable("The body has a NUL character")
    if (type !== "application/json") return { body: JSON.stringify({ type, text }) }
    const value = yield* Effect.try({ try: () => parseJson(text), catch: () => unreadable("The body is not JSON") })
    const items = use === "records" && Array.isArray(value) ? value : [value]
    const fault = items.map((item) => recordOf(item, text.length)).find((item) => typeof item === "string")
    if (fault !== undefined) {
      return yield* unreadable(
        use === "records"
          ? "The body is neither a JSON object nor a list of JSON objects"
          : "The body is no JSON object"
      )
    }
    return use === "records" ? { body: JSON.stringify({ type, text }) } : { parameters: JSON.stringify(value) }
  })

/** Takes what is sent to the webhooks of schedules. */
export class Hooks extends Context.Service<
  Hooks,
  {
    /** The webhook of this token. What is wrong about it is not told. Counts the request. */
    readonly authorize: (
      key: ScheduleKey,
      token: string | undefined
    ) => Effect.Effect<Hook, Conflict | LimitExceeded | StorageUnreachable | TenantSuspended | Unauthorized>
    /** Stores the firing of a body and starts it if it may start. Repeated with its key, a request fires once. */
    readonly fire: (
      hook: Hook,
      requestKey: string,
      body: TriggerBody
    ) => Effect.Effect<Firing, BadRequest | StorageUnreachable | Unauthorized | UnsupportedMediaType>
  }
>()("flow/schedules/Hooks") {
  static readonly layer = Layer.effect(
    Hooks,
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const firings = yield* Firings
      const tenants = yield* Tenants
      const rules = yield* TenantRules
      const rates = yield* RateStore
      const requests = yield* RequestRates
      const refusals = yield* LimitRefusals
      const audit = yield* Audit

      /** A bucket of the webhook's own in the database, and those of the tenant's requests. */
      const count = Effect.fnUntraced(function* (tenant: TenantId, hook: Hook) {
        const { perMinute = usualPerMinute } = hook.webhook
        const principal = hookPrincipal(hook)
        if (requests.isLimited(tenant)) yield* requests.take(requests.meter(tenant, principal))
        const rate = { perSecond: perMinute / 60, capacity: perMinute }
        const { granted } = yield* rates.lease({ tenant, principal: `${principal.id} per minute` }, rate, 1)
        if (granted >= 1) return
        return yield* refusals.refused(
          tenant,
          new LimitExceeded({
            limit: "perMinute",
            value: perMinute,
            used: perMinute + 1,
            key: `tenant:${tenant} ${principal.id}`,
            tenant,
            retryAfter: Math.ceil(60 / perMinute),
            detail: `The webhook takes ${perMinute} requests a minute: its schedule sets the limit perMinute`
          })
        )
      })

      const authorize: Hooks["Service"]["authorize"] = Effect.fn("Hooks.authorize")(function* (key, token = "") {
        const unknown = new Unauthorized({ detail: "The webhook needs its token: Authorization: Bearer fgh_…" })
        if (!hookToken.test(token)) return yield* unknown
        const [sent, stored] = yield* Effect.all([sha256Of(token), store.token(key)])
        if (!isEqual(sent, stored ?? none) || !(yield* tenants.exists(key.tenant))) return yield* unknown
        const found = yield* store.get(key)
        const webhook = found === undefined ? undefined : definitionOf(found.definition).trigger.webhook
        if (found === undefined || webhook === undefined) return yield* unknown
        if (rules.isSuspended(key.tenant)) return yield* new TenantSuspended({ tenant: key.tenant })
        const hook = { ...key, webhook }
        yield* count(key.tenant, hook)
        if (found.paused) return yield* new Conflict({ state: "PAUSED", detail: "The schedule is paused" })
        return hook
      })

      const fire: Hooks["Service"]["fire"] = Effect.fn("Hooks.fire")(function* (hook, requestKey, body) {
        const given = yield* givenBy(hook.webhook, body)
        const firingKey = `hook:${requestKey}`
        const added = yield* audit
          .change(hook.tenant, store.add(hook, { key: firingKey, kind: "webhook", ...given }), (made) =>
            made?.isNew === true ? { action: "hooks.fire", target: hook.name } : undefined
          )
          .pipe(Effect.provideService(CurrentPrincipal, hookPrincipal(hook)))
        if (added === undefined) return yield* new Unauthorized({ detail: "The schedule was deleted" })
        // The firing is stored: what cannot start now starts later.
        yield* Effect.ignore(firings.startOne(hook, firingKey))
        return (yield* store.firing(hook, firingKey)) ?? added.firing
      })

      return Hooks.of({ authorize, fire })
    })
  )
}
