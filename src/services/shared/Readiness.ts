import { Context, type Effect } from "effect"

/** The dependencies without which the gateway cannot serve, by name: each check answers within about a second. */
export class Readiness extends Context.Service<
  Readiness,
  { readonly checks: ReadonlyMap<string, Effect.Effect<unknown, unknown>> }
>()("flow/shared/Readiness") {}
