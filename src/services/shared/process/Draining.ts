import { Context, Deferred, Effect, Layer } from "effect"

/** Tells endless answers that the gateway is about to stop. Clients reconnect to another gateway. */
export class Draining extends Context.Service<
  Draining,
  {
    /** Completes when the gateway starts to stop. */
    readonly begun: Effect.Effect<void>
    readonly begin: Effect.Effect<void>
  }
>()("flow/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Deferred.make<void>(), (deferred) => ({
      begun: Deferred.await(deferred),
      begin: Effect.asVoid(Deferred.succeed(deferred, undefined))
    }))
  )
}
