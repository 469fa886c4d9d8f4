import { Effect, Layer, Stream } from "effect"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { Authenticator } from "../../services/access/Authenticator.ts"
import { anonymous } from "../../services/shared/security/Principal.ts"

/** Gives every request the same principal. */
export const authenticator = Layer.sync(Authenticator, () => {
  const nobodyAsks = Effect.succeed(anonymous)
  let hinted = false
  return {
    authenticate: ({ headers }) => {
      if (hinted || headers["authorization"] === undefined) return nobodyAsks
      return Effect.suspend(() => {
        if (hinted) return nobodyAsks
        hinted = true
        const hint = "Without FLOW_AUTH, the Authorization header of requests is ignored"
        return Effect.as(Effect.logWarning(hint), anonymous)
      })
    },
    known: ({ authorization }) => (hinted || authorization === undefined ? anonymous : undefined),
    challenge: () => ""
  }
})

/** The rules of a gateway without an access file: none. */
export const rules = Layer.succeed(AccessRules, {
  current: () => undefined,
  changes: Stream.succeed(undefined),
  faulty: () => false
})

/** A gateway without `FLOW_AUTH`. */
export const layer = Layer.mergeAll(rules, authenticator)
