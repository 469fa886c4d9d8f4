import { Effect, Layer } from "effect"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { isLoopback, ownPlaces, Settings } from "../../services/shared/settings/Settings.ts"
import * as Anonymous from "./Anonymous.ts"
import * as Credentials from "./Credentials.ts"
import * as FileLimits from "./FileLimits.ts"
import * as FileRules from "./FileRules.ts"
import { Passwords } from "./Passwords.ts"
import * as StoredKeyCheck from "./StoredKeyCheck.ts"
import * as StoredLogins from "./StoredLogins.ts"
import * as StoredSessions from "./StoredSessions.ts"
import * as Tokens from "./Tokens.ts"

/**
 * Warns the operator if others can reach the gateway without credentials, or can read its traffic because it has no
 * TLS.
 */
const warning = ({ host, auth, tls }: Settings["Service"]): Effect.Effect<void> => {
  if (isLoopback(host)) return Effect.void
  if (auth === undefined) {
    return Effect.logWarning(
      `Everybody who reaches ${host} may do everything: FLOW_INSECURE is 1, FLOW_AUTH is not set`
    )
  }
  return tls === undefined
    ? Effect.logWarning(`Passwords, keys and tokens come to ${host} unencrypted: set FLOW_TLS_CERT or use a proxy`)
    : Effect.void
}

const fileRules = (settings: Settings["Service"]) =>
  settings.auth === undefined
    ? Anonymous.rules
    : FileRules.layer(settings.auth, settings.storageDeadline, ownPlaces(settings))

/** The rules, and whether they are outdated because the current file is faulty. */
const watched = (settings: Settings["Service"]) =>
  Layer.effectDiscard(
    Effect.flatMap(AccessRules, ({ faulty }) =>
      observeGauge(
        "flow_access_file_faulty",
        { description: "1 while the access file is faulty or gone and former rules hold, else 0" },
        () => (faulty() ? 1 : 0)
      )
    )
  ).pipe(Layer.provideMerge(fileRules(settings)))

/**
 * Which tenants exist, what they may use, and who may do what: from the access file; without one everybody may do
 * everything.
 */
export const rules = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* warning(settings)
    return FileLimits.layer.pipe(Layer.provideMerge(watched(settings)))
  })
)

/** Who sends a request, and how browsers log in. */
export const authenticator = Layer.unwrap(
  Effect.map(Settings, ({ auth }) =>
    // Passwords are built in both cases, because their queue is one of the metrics.
    StoredLogins.layer.pipe(
      Layer.provideMerge(auth === undefined ? Anonymous.authenticator : Credentials.layer),
      Layer.provideMerge(StoredSessions.layer),
      Layer.provideMerge(Layer.mergeAll(Passwords.layer, StoredKeyCheck.layer, Tokens.layer))
    )
  )
)
