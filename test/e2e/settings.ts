import { ConfigProvider, Effect, Exit, Layer } from "effect"
import * as EnvironmentSettings from "../../src/layers/EnvironmentSettings.ts"
import { startFailure } from "../../src/layers/StartFailure.ts"

/** What a gateway with these variables would be refused with; nothing when it would start. */
export const refusalOf = (variables: Readonly<Record<string, string>>): Promise<string> =>
  Effect.runPromise(
    Effect.scoped(Effect.exit(Layer.build(EnvironmentSettings.layer))).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(variables)),
      Effect.map((exit) => (Exit.isSuccess(exit) ? "" : startFailure(exit.cause)))
    )
  )

// As a program it answers for a user who is not root: one line for each set of variables, which are given as JSON. It
// gives up root only now, because that user may lack access to the folders above this one.
if (process.argv[1] === import.meta.filename) {
  if (process.getuid?.() === 0) {
    process.setgroups?.([])
    process.setgid?.(65534)
    process.setuid?.(65534)
  }
  for (const argument of process.argv.slice(2)) console.log(`said ${await refusalOf(JSON.parse(argument))}`)
}
