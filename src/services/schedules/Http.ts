import { Effect } from "effect"
import { type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { type BadRequest, invalidBody } from "../../errors/BadRequest.ts"
import { usableKey } from "../http/Idempotency.ts"
import { readJson, readOptionalJson } from "../http/JsonBody.ts"
import { listResponse } from "../http/Paging.ts"
import { changeable, creatable, isConditional } from "../http/Preconditions.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { wholeBody } from "../shared/bytes/WholeBody.ts"
import { Settings } from "../shared/settings/Settings.ts"
import { TenantId } from "../shared/Tenant.ts"
import { readBackfill, readRun, readSchedule } from "./Definition.ts"
import { Hooks } from "./Hooks.ts"
import { ScheduleName, type StoredSchedule } from "./Schedule.ts"
import type { ScheduleKey } from "./ScheduleStore.ts"
import { Schedules } from "./Schedules.ts"

type Request = HttpServerRequest.HttpServerRequest

const keyOf = (params: { readonly tenant: string; readonly name: string }): ScheduleKey => ({
  tenant: TenantId(params.tenant),
  name: ScheduleName(params.name)
})

/** What makes a repeated request the same one: its key, or one that no other request has. */
const requestKey = (request: Request): Effect.Effect<string, BadRequest> => {
  const given = request.headers["idempotency-key"]
  return given === undefined ? Effect.sync(() => crypto.randomUUID()) : Effect.as(usableKey(request), `key-${given}`)
}

/** The tag of what people have set: when a schedule fires next changes without them, and refuses nobody's change. */
const tagOf = ({ next: _, fault: __, ...set }: StoredSchedule): Effect.Effect<string> => hexDigest(JSON.stringify(set))

const answer = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })

/** An answer with a token is not to be kept by anybody. */
const secret = (value: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(value, { status, headers: { "cache-control": "no-store" } })

export const SchedulesHttp = HttpApiBuilder.group(
  Api,
  "schedules",
  Effect.fn(function* (handlers) {
    const schedules = yield* Schedules
    const { limits } = yield* Settings
    const bodyOf = (request: Request, check: (value: unknown) => Effect.Effect<unknown, BadRequest>) =>
      Effect.map(
        readJson(request, { limit: limits.jsonBody, keepsDigits: ["parameters"], check }),
        ({ value }) => value
      )
    /** The revision to which the request's conditions apply, if they hold: null if there is no schedule. */
    const seenBy = Effect.fnUntraced(function* (key: ScheduleKey, request: Request) {
      if (!isConditional(request)) return undefined
      const found = yield* schedules.find(key)
      if (found === undefined) return null
      const etag = yield* tagOf(found.schedule)
      yield* changeable(request, { etag, lastModified: new Date(found.schedule.changedAt) })
      return found.revision
    })
    return handlers
      .handle("list", ({ params }) => schedules.list(TenantId(params.tenant)))
      .handleRaw(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          const schedule = yield* schedules.get(keyOf(params))
          // Never 304, because the tag does not cover all of the answer.
          return HttpServerResponse.setHeader(answer(schedule), "etag", `"${yield* tagOf(schedule)}"`)
        })
      )
      .handleRaw(
        "put",
        Effect.fnUntraced(function* ({ params, request }) {
          const key = keyOf(params)
          const body = yield* bodyOf(request, readSchedule)
          const seen = yield* seenBy(key, request)
          if (seen === null) yield* creatable(request)
          const { isNew, schedule } = yield* schedules.put(key, body, seen)
          return secret(schedule, isNew ? 201 : 200)
        })
      )
      .handle(
        "remove",
        Effect.fnUntraced(function* ({ params, request }) {
          const key = keyOf(params)
          const seen = yield* seenBy(key, request)
          yield* schedules.remove(key, seen ?? undefined)
        })
      )
      .handle("pause", ({ params }) => schedules.pause(keyOf(params), true))
      .handle("resume", ({ params }) => schedules.pause(keyOf(params), false))
      .handleRaw("newToken", ({ params }) =>
        Effect.map(schedules.newToken(keyOf(params)), (token) => secret({ token }, 201))
      )
      .handleRaw("run", ({ params, request }) =>
        Effect.gen(function* () {
          const check = (value: unknown) => readRun(value ?? {})
          const { value } = yield* readOptionalJson(request, {
            limit: limits.jsonBody,
            keepsDigits: ["parameters"],
            check
          })
          return answer(yield* schedules.run(keyOf(params), yield* requestKey(request), value ?? {}))
        })
      )
      .handleRaw("firings", ({ params, query }) =>
        Effect.flatMap(schedules.firings(keyOf(params)), (rows) =>
          listResponse(`firings of ${params.name}`, TenantId(params.tenant), query, rows)
        )
      )
      .handleRaw("backfill", ({ params, request }) =>
        Effect.map(
          Effect.flatMap(bodyOf(request, readBackfill), (body) => schedules.backfill(keyOf(params), body)),
          (made) => answer(made, 201)
        )
      )
      .handle("backfills", ({ params }) => schedules.backfills(keyOf(params)))
      .handle("cancelBackfill", ({ params }) => schedules.cancelBackfill(keyOf(params), params.id))
  })
)

const bearer = /^Bearer +(\S+) *$/i

export const HooksHttp = HttpApiBuilder.group(
  Api,
  "hooks",
  Effect.fn(function* (handlers) {
    const hooks = yield* Hooks
    const { limits } = yield* Settings

    const textOf = (bytes: Uint8Array) =>
      Effect.try({
        try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
        catch: () => invalidBody("The body is not UTF-8")
      })

    return handlers.handleRaw("fire", ({ params, request }) =>
      Effect.gen(function* () {
        // The body of a request that has neither the token nor what may be a signature is not read.
        const [, token] = bearer.exec(request.headers["authorization"] ?? "") ?? []
        const read = yield* Effect.cached(wholeBody(request, limits.jsonBody))
        const hook = yield* hooks.authorize(keyOf(params), { token, headers: request.headers, body: read })
        const key = yield* requestKey(request)
        const [type = ""] = (request.headers["content-type"] ?? "").split(";")
        const body = { type: type.trim().toLowerCase(), text: yield* textOf(yield* read) }
        return answer(yield* hooks.fire(hook, key, body), 202)
      }).pipe(
        Effect.catchTag("Unauthorized", (error) =>
          Effect.map(HttpServerRespondable.toResponse(error), (response) =>
            HttpServerResponse.setHeader(response, "www-authenticate", 'Bearer realm="flow-gateway"')
          )
        )
      )
    )
  })
)
