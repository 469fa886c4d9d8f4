import { Effect, Fiber, Predicate, Schema, type Scope } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import {
  IdempotencyKey,
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome
} from "../shared/idempotency/IdempotencyStore.ts"
import type { TenantId } from "../shared/Tenant.ts"

const Answer = Schema.fromJsonString(
  Schema.Struct({
    status: Schema.Int,
    etag: Schema.optionalKey(Schema.String),
    version: Schema.optionalKey(Schema.Int),
    body: Schema.String
  })
)
type Answer = typeof Answer.Type
const encodeAnswer = Schema.encodeSync(Answer)
const decodeAnswer = Schema.decodeUnknownSync(Answer)

const respond = (answer: Answer, replayed: boolean) => {
  const headers = {
    ...(answer.etag === undefined ? {} : { etag: answer.etag }),
    ...(answer.version === undefined ? {} : { "flow-version": String(answer.version) }),
    ...(replayed ? { "idempotency-replayed": "true" } : {})
  }
  const { status } = answer
  return answer.body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(answer.body, { status, contentType: "application/json", headers })
}

const fingerprintOf = (request: HttpServerRequest.HttpServerRequest, body: Uint8Array<ArrayBuffer>) =>
  Effect.map(
    hexDigest(body),
    (digest) => `${request.method} ${request.url} ${request.headers["if-match"] ?? ""} ${digest}`
  )

/** The result of the work. The status is 200 unless `status` is set; there may be no body. */
interface Done {
  readonly status?: number
  readonly body?: unknown
  readonly etag?: string
  /** The version that was made, which the contract's body does not tell. */
  readonly version?: number
}

const answerOf = ({ status = 200, body, ...headers }: Done): Answer => ({
  status,
  body: body === undefined ? "" : JSON.stringify(body),
  ...headers
})

/**
 * The work of a request. It passes its last writes to the `Commit` of `answered`, which keeps what `doneOf` makes of
 * their result as the answer.
 */
type Work<E, R> = (answered: <A>(doneOf: (made: A) => Done) => Commit<A>) => Effect.Effect<unknown, E, R>

/** A `Commit` that is told how to make the text of the answer. */
type Keep = <A, E, R>(
  writes: Effect.Effect<A, E, R>,
  answer: (made: A) => string
) => Effect.Effect<A, E | Conflict | StorageUnreachable, R>

/** Does the work and gives the answer that it has committed. */
const answerTo = <E, R>(work: Work<E, R>, keep: Keep): Effect.Effect<Answer, E, Exclude<R, Scope.Scope>> =>
  Effect.suspend(() => {
    let answer: Answer | undefined
    const answered =
      <A>(doneOf: (made: A) => Done): Commit<A> =>
      (writes) =>
        Effect.tap(
          keep(writes, (made) => encodeAnswer(answerOf(doneOf(made)))),
          (made) => Effect.sync(() => (answer = answerOf(doneOf(made))))
        )
    return Effect.flatMap(Effect.scoped(work(answered)), () =>
      answer === undefined ? Effect.die(new Error("The work has committed nothing")) : Effect.succeed(answer)
    )
  })

/** A declared refusal: nothing was done. After any other failure the database shows whether it was. */
const isRefusal = (error: unknown): boolean =>
  Predicate.hasProperty(error, "status") && typeof error.status === "number" && error.status < 500

/** Does the work of a claimed key. */
const workOn = <E, R>(store: IdempotencyStore["Service"], claim: KeyClaim, work: Work<E, R>) => {
  // After a refusal the client may use the key for another request, so the key is free before the answer. After an
  // unknown end the answer does not wait: if the storage failed, releasing the key takes as long again.
  const end = (outcome: KeyOutcome) => {
    const ended = Effect.ignore(store.end(claim, outcome))
    return outcome === "Unknown" ? Effect.asVoid(Effect.forkDetach(ended, { startImmediately: true })) : ended
  }
  return Effect.tapCause(
    Effect.tap(
      answerTo(work, (writes, answer) => store.commit(claim, writes, answer)),
      end("Answered")
    ),
    (cause) => {
      const [reason, ...others] = cause.reasons
      const isRefused = reason?._tag === "Fail" && others.length === 0 && isRefusal(reason.error)
      return end(isRefused ? "Refused" : "Unknown")
    }
  )
}

/** Refuses a request with an invalid key. Called before an upload, so that its file is not sent in vain. */
export const usableKey = ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<void, BadRequest> =>
  /^[\x21-\x7e]{1,255}$/.test(headers["idempotency-key"] ?? "none")
    ? Effect.void
    : Effect.fail(
        new BadRequest({
          detail: "The idempotency key is invalid",
          issues: [
            { part: "header", pointer: "/idempotency-key", detail: "Expected 1 to 255 visible ASCII characters" }
          ]
        })
      )

/**
 * Does the work once per `Idempotency-Key`; a retry within 24 hours gets the first answer. The key with a different
 * request (method, path, query or `body`, which represents the sent content) is answered 422; a key whose request is
 * still running 409. Work with a key goes on when its client leaves. A refused request releases the key; after any
 * other failure a retry gets the answer if the work was done, and does it if not. Without the header the work is simply
 * done.
 */
export const idempotent = <E, R>(
  store: IdempotencyStore["Service"],
  request: HttpServerRequest.HttpServerRequest,
  tenant: TenantId,
  body: Uint8Array<ArrayBuffer>,
  work: Work<E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E | BadRequest | Conflict | IdempotencyKeyReused | StorageUnreachable,
  Exclude<R, Scope.Scope>
> =>
  Effect.gen(function* () {
    const given = request.headers["idempotency-key"]
    if (given === undefined) return respond(yield* answerTo(work, unkeyed), false)
    yield* usableKey(request)
    const fingerprint = yield* fingerprintOf(request, body)
    const answered = Effect.gen(function* () {
      const begun = yield* store.begin(tenant, IdempotencyKey(given), fingerprint)
      switch (begun._tag) {
        case "Answered":
          return respond(decodeAnswer(begun.answer), true)
        case "InProgress":
          return yield* new Conflict({
            state: "IN_PROGRESS",
            detail: "The first request with this key is still running"
          })
        case "Different":
          return yield* new IdempotencyKeyReused()
        case "New":
          return respond(yield* workOn(store, begun.claim, work), false)
      }
    })
    // A fiber of its own, because a client that leaves interrupts the request's.
    return yield* Effect.flatMap(Effect.forkDetach(answered), Fiber.join)
  })
