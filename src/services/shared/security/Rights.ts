import { Context, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Whether who has sent a request may still read what it asks for. For answers that last. */
export class Rights extends Context.Service<
  Rights,
  {
    /** Completes when the credential of the request has ended, or may no longer see the tenant. */
    readonly ended: (request: HttpServerRequest.HttpServerRequest, tenant: string) => Effect.Effect<void>
  }
>()("flow/shared/Rights") {}
