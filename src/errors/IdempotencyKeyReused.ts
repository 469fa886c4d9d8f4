import { Problem } from "./Problem.ts"

/** The `Idempotency-Key` was already used for a different request. */
export class IdempotencyKeyReused extends Problem<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  type: "/problems/idempotency-key-reused",
  status: 422,
  title: "The idempotency key belongs to another request"
}) {}
