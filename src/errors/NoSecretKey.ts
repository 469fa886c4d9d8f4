import { Problem } from "./Problem.ts"

/** The gateway has no key to encrypt secrets with. Nothing was stored. */
export class NoSecretKey extends Problem<NoSecretKey>()(
  "NoSecretKey",
  { type: "/problems/no-secret-key", status: 409, title: "No key for secrets" },
  {}
) {}
