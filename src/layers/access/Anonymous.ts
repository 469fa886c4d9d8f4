import { Effect, Layer, Stream } from "effect"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { Authenticator } from "../../services/access/Authenticator.ts"
import { anonymous } from "../../services/shared/Access.ts"

/** A gateway without `FLOW_AUTH`. */
export const layer = Layer.mergeAll(
  Layer.succeed(AccessRules, { current: () => undefined, changes: Stream.succeed(undefined) }),
  Layer.succeed(Authenticator, { authenticate: () => Effect.succeed(anonymous) })
)
