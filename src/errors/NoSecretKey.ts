import { HttpApiError } from "effect/http-api"

/** The gateway has no key to encrypt secrets with. Nothing was stored. */
export class NoSecretKey extends HttpApiError.Problem<NoSecretKey>()(
  "NoSecretKey",
  { type: "/problems/no-secret-key", status: 409, title: "No key for secrets" },
  {}
) {}
