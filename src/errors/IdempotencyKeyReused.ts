import { HttpApiError } from "effect/http-api"

/** The `Idempotency-Key` was sent before with another request. */
export class IdempotencyKeyReused extends HttpApiError.Problem<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  type: "/problems/idempotency-key-reused",
  status: 422,
  title: "The idempotency key belongs to another request"
}) {}
