import { Effect, Layer, Option, Schema, SubscriptionRef } from "effect"
import * as FileLimits from "../../src/layers/access/FileLimits.ts"
import { AccessFile } from "../../src/services/access/AccessFile.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { Authenticator } from "../../src/services/access/Authenticator.ts"
import { type Principal, Role } from "../../src/services/shared/security/Principal.ts"

const decode = Schema.decodeUnknownSync(AccessFile)

/**
 * The principal is given by the header `X-API-Key: <role>@<tenant>` or `<role>@<tenant>/<name>`; by default an admin.
 */
const principalOf = (key: string | undefined): Principal => {
  const [, role, tenant] = /^(\w+)@([\w*]+)/.exec(key ?? "") ?? []
  const given = Option.getOrElse(Schema.decodeUnknownOption(Role)(role), (): Role => "admin")
  return { id: `user:${key ?? "admin"}`, method: "key", grants: new Map([[tenant ?? "*", given]]) }
}

/** An access file that tests change as they like, and principals who need no credentials. */
export const fileAccess = () => {
  let file: AccessFile | undefined = decode({})
  const changes = Effect.runSync(SubscriptionRef.make<AccessFile | undefined>(file))
  const layer = FileLimits.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(AccessRules, {
          current: () => file,
          changes: SubscriptionRef.changes(changes),
          faulty: () => false
        }),
        Layer.succeed(Authenticator, {
          authenticate: ({ headers }) => Effect.succeed(principalOf(headers["x-api-key"])),
          challenge: () => 'Bearer realm="flow-gateway"'
        })
      )
    )
  )
  /** Replaces the file, as a reload does. */
  const changeFile = (next: unknown): Effect.Effect<void> =>
    Effect.suspend(() => {
      file = decode(next)
      return SubscriptionRef.set(changes, file)
    })
  return { layer, changeFile }
}
