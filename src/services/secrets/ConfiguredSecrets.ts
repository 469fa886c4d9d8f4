import { Context, type Effect, type Redacted } from "effect"
import type { SecretSource, UnusableSecret } from "./SecretSource.ts"

/** The secrets that the operator of the gateway provides. Undefined sources are not configured. */
export class ConfiguredSecrets extends Context.Service<
  ConfiguredSecrets,
  {
    /** The files `<tenant>/<NAME>` of a folder. */
    readonly folder: SecretSource | undefined
    /** The access file, which names environment variables and files. */
    readonly accessFile: SecretSource
    /**
     * The value of a secret that the access file names elsewhere: a variable of the environment, or a file beside it.
     * `what` is the secret, as the problem names it.
     */
    readonly read: (
      source: { readonly env: string } | { readonly file: string },
      what: string
    ) => Effect.Effect<Redacted.Redacted<string>, UnusableSecret>
  }
>()("flow/secrets/ConfiguredSecrets") {}
