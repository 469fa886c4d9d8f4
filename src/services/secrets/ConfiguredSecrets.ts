import { Context } from "effect"
import type { SecretSource } from "./SecretSource.ts"

/** The secrets that the operator of the gateway provides. Undefined sources are not configured. */
export class ConfiguredSecrets extends Context.Service<
  ConfiguredSecrets,
  {
    /** The files `<tenant>/<NAME>` of a folder. */
    readonly folder: SecretSource | undefined
    /** The access file, which names environment variables and files. */
    readonly accessFile: SecretSource
  }
>()("flow/secrets/ConfiguredSecrets") {}
