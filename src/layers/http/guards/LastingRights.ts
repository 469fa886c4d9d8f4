import { Duration, Effect, Layer } from "effect"
import { Authenticator } from "../../../services/access/Authenticator.ts"
import { maySee } from "../../../services/shared/security/Principal.ts"
import { Rights } from "../../../services/shared/security/Rights.ts"

/** How long an answer may go on after its credential has ended. */
const every = Duration.seconds(5)

/** Authenticates the request of a lasting answer again and again. While that cannot be done, the answer goes on. */
export const layer = Layer.effect(
  Rights,
  Effect.map(Authenticator, (authenticator) =>
    Rights.of({
      ended: (request, tenant) =>
        Effect.suspend(() => authenticator.authenticate(request, undefined, false)).pipe(
          Effect.map((principal) => !maySee(principal, tenant)),
          Effect.catch(({ _tag }) => Effect.succeed(_tag === "Unauthorized")),
          Effect.delay(every),
          Effect.repeat({ until: (isEnded) => isEnded }),
          Effect.asVoid
        )
    })
  )
)
