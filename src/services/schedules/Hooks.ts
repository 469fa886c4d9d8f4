import { Context, Effect, Layer, PartitionedSemaphore, Redacted, Result } from "effect"
import { type BadRequest, invalidBody } from "../../errors/BadRequest.ts"
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
import { ScheduleClock } from "../runs/ScheduleClock.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { hexDigest, sha256Of } from "../shared/bytes/Sha256Digest.ts"
import { CurrentPrincipal, type Principal } from "../shared/security/Principal.ts"
import { type TenantId, Tenants } from "../shared/Tenant.ts"
import { Firings } from "./Firings.ts"
import type { Firing, ScheduleRequest } from "./Schedule.ts"
import { type NewFiring, type ScheduleKey, ScheduleStore, type StoredRow } from "./ScheduleStore.ts"
import { hookToken } from "./Schedules.ts"
import { type Signature, signatureSecret, signedBy, verified } from "./Signature.ts"
import { definitionOf } from "./StoredDefinition.ts"

const usualPerMinute = 60

/** How long the bytes of a body may take that is not known yet to be of a sender of the webhook. */
const signedPatience = "10 seconds"
/** Bodies that are read at once to check their signatures. Of those that wait, each webhook has its turn. */
const signedAtOnce = 32

/** What a request has to show that it comes from a sender of the webhook. */
interface Sent<E> {
  readonly token: string | undefined
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Asked for only when the headers have what may be a signature of it. */
  readonly body: Effect.Effect<Uint8Array, E>
}

/** A webhook whose token, or a valid signature, was sent. */
interface Hook extends ScheduleKey {
  readonly webhook: NonNullable<ScheduleRequest["trigger"]["webhook"]>
  /** What makes the request the same as another one, where its signature says so. */
  readonly requestKey: string | undefined
}

/** Compares in constant time, so that the time of an answer tells nothing of a token. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean => {
  let difference = one.length ^ other.length
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ (other[at] ?? 0)
  return difference === 0
}

const none = new Uint8Array(32)

const needed =
  "The webhook needs its token, Authorization: Bearer fgh_…, or the signature that its schedule asks for, of a body of " +
  "at most 1 MiB"

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
    if (text.includes("\u0000")) return yield* invalidBody("The body has a NUL character")
    if (type !== "application/json") return { body: JSON.stringify({ type, text }) }
    const value = yield* Effect.try({ try: () => parseJson(text), catch: () => invalidBody("The body is not JSON") })
    const items = use === "records" && Array.isArray(value) ? value : [value]
    const fault = items.map((item) => recordOf(item, text.length)).find((item) => typeof item === "string")
    if (fault !== undefined) {
      return yield* invalidBody(
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
    /** The webhook of this token or signature. What is wrong about them is not told. Counts the request. */
    readonly authorize: <E>(
      key: ScheduleKey,
      sent: Sent<E>
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
      const secrets = yield* Secrets
      const clock = yield* ScheduleClock
      const reading = yield* PartitionedSemaphore.make<string>({ permits: signedAtOnce })

      /** The schedule of this token. */
      const byToken = Effect.fnUntraced(function* (key: ScheduleKey, token: string) {
        const [sent, stored] = yield* Effect.all([sha256Of(token), store.token(key)])
        return isEqual(sent, stored ?? none) ? yield* store.get(key) : undefined
      })

      /** The key that senders sign with. What keeps it from being used is told to whoever reads the schedule. */
      const secretOf = Effect.fnUntraced(function* (row: StoredRow, signature: Signature) {
        const name = signatureSecret(signature) ?? ""
        const values = yield* secrets.values(row.tenant, new Map([[name, "signature"]]))
        const fault = Result.isFailure(values) ? values.failure : undefined
        if ((fault ?? null) !== row.fault) yield* store.setFault(row, fault)
        return Result.isFailure(values) ? undefined : Redacted.value(values.success)[name]
      })

      /** The schedule whose secret has signed the body, and what was signed where it has a time. */
      const bySignature = Effect.fnUntraced(function* <E>(key: ScheduleKey, { headers, body }: Sent<E>) {
        const row = yield* store.get(key)
        const signature = row === undefined ? undefined : definitionOf(row.definition).trigger.webhook?.signature
        if (row === undefined || signature === undefined) return undefined
        const signed = signedBy(signature, headers, (yield* clock.now).at)
        if (signed === undefined || !(yield* tenants.exists(key.tenant))) return undefined
        // A body that is too long or too slow cannot be checked. The answer is that for a missing signature.
        const bytes = yield* body.pipe(
          Effect.timeout(signedPatience),
          reading.withPermit(`${key.tenant}/${key.name}`),
          Effect.orElseSucceed(() => undefined)
        )
        if (bytes === undefined) return undefined
        const secret = yield* secretOf(row, signature)
        const message = secret === undefined ? undefined : yield* verified(signed, secret, bytes)
        return message === undefined ? undefined : { row, signed: signature.timestamp && message }
      })

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

      const authorize = Effect.fn("Hooks.authorize")(function* <E>(key: ScheduleKey, sent: Sent<E>) {
        const { token = "" } = sent
        const known = hookToken.test(token) ? yield* byToken(key, token) : undefined
        const { row, signed } =
          known === undefined ? ((yield* bySignature(key, sent)) ?? {}) : { row: known, signed: undefined }
        const webhook = row === undefined ? undefined : definitionOf(row.definition).trigger.webhook
        if (row === undefined || webhook === undefined || !(yield* tenants.exists(key.tenant))) {
          return yield* new Unauthorized({ detail: needed })
        }
        if (rules.isSuspended(key.tenant)) return yield* new TenantSuspended({ tenant: key.tenant })
        // A signed body that is sent again within the tolerance is the same request, whatever else differs.
        const requestKey = signed === undefined ? undefined : `signed-${yield* hexDigest(signed)}`
        const hook: Hook = { ...key, webhook, requestKey }
        yield* count(key.tenant, hook)
        if (row.paused) return yield* new Conflict({ state: "PAUSED", detail: "The schedule is paused" })
        return hook
      })

      const fire: Hooks["Service"]["fire"] = Effect.fn("Hooks.fire")(function* (hook, requestKey, body) {
        const given = yield* givenBy(hook.webhook, body)
        const firingKey = `hook:${hook.requestKey ?? requestKey}`
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
