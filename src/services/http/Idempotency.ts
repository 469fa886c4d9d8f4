import { Effect, Fiber, Schema } from "effect"
import * as Hex from "effect/encoding/Hex"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { IdempotencyKey, type IdempotencyStore } from "../shared/IdempotencyStore.ts"
import type { TenantId } from "../shared/Tenant.ts"

const Answer = Schema.fromJsonString(
  Schema.Struct({ status: Schema.Int, etag: Schema.optionalKey(Schema.String), body: Schema.String })
)
const encodeAnswer = Schema.encodeSync(Answer)
const decodeAnswer = Schema.decodeUnknownSync(Answer)

const respond = (answer: typeof Answer.Type, replayed: boolean) => {
  const headers = {
    ...(answer.etag === undefined ? {} : { etag: answer.etag }),
    ...(replayed ? { "idempotency-replayed": "true" } : {})
  }
  const { status } = answer
  return answer.body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(answer.body, { status, contentType: "application/json", headers })
}

const fingerprintOf = (request: HttpServerRequest.HttpServerRequest, body: Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () => {
    const digest = await crypto.subtle.digest("SHA-256", body)
    return `${request.method} ${request.url} ${request.headers["if-match"] ?? ""} ${Hex.encode(new Uint8Array(digest))}`
  })

/** The result of the work. The status is 200 unless `status` is set; there may be no body. */
export interface Done {
  readonly status?: number
  readonly body?: unknown
  readonly etag?: string
}

/**
 * Does the work once per `Idempotency-Key`; a retry within 24 hours gets the first answer. The key with a different
 * request (method, path, query or `body`, which represents the sent content) is answered 422; a key whose request is
 * still running 409. A failed request releases the key. Without the header the work is simply done.
 */
export const idempotent = <E, R>(
  store: IdempotencyStore["Service"],
  request: HttpServerRequest.HttpServerRequest,
  tenant: TenantId,
  body: Uint8Array<ArrayBuffer>,
  work: Effect.Effect<Done, E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | BadRequest | Conflict | IdempotencyKeyReused | StorageUnreachable,
  R
> =>
  Effect.gen(function* () {
    const answered = Effect.map(work, ({ status = 200, body, etag }) => ({
      status,
      body: body === undefined ? "" : JSON.stringify(body),
      ...(etag === undefined ? {} : { etag })
    }))
    const given = request.headers["idempotency-key"]
    if (given === undefined) return respond(yield* answered, false)
    if (!/^[\x21-\x7e]{1,255}$/.test(given)) {
      const detail = "Expected 1 to 255 visible ASCII characters"
      return yield* new BadRequest({
        detail: "The idempotency key is invalid",
        issues: [{ part: "header", pointer: "/idempotency-key", detail }]
      })
    }
    const key = IdempotencyKey(given)
    const begun = yield* store.begin(tenant, key, yield* fingerprintOf(request, body))
    switch (begun._tag) {
      case "Answered":
        return respond(decodeAnswer(begun.answer), true)
      case "InProgress":
        return yield* new Conflict({ state: "IN_PROGRESS", detail: "The first request with this key is still running" })
      case "Different":
        return yield* new IdempotencyKeyReused()
      case "New": {
        // If the storage failed, releasing the key takes as long again; the answer does not wait for it.
        const forget = Effect.flatMap(Effect.forkDetach(Effect.ignore(store.forget(tenant, key))), (fiber) =>
          Effect.timeoutOption(Fiber.join(fiber), "500 millis")
        )
        const answer = yield* Effect.onExit(answered, (exit) => (exit._tag === "Failure" ? forget : Effect.void))
        yield* Effect.ignore(store.finish(tenant, key, encodeAnswer(answer)))
        return respond(answer, false)
      }
    }
  })
