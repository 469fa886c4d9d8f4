import { ConfigProvider, Effect, Exit, Layer } from "effect"
import * as EnvironmentSettings from "../../src/layers/Settings.ts"
import { startFailure } from "../../src/layers/StartFailure.ts"

/** What a gateway with these variables would be refused with; nothing when it would start. */
export const refusalOf = (variables: Readonly<Record<string, string>>): Promise<string> =>
  Effect.runPromise(
    Effect.scoped(Effect.exit(Layer.build(EnvironmentSettings.layer))).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(variables)),
      Effect.map((exit) => (Exit.isSuccess(exit) ? "" : startFailure(exit.cause)))
    )
  )

// Run as a program, it answers for another user: one line for each of the variables that are given as JSON.
if (process.argv[1] === import.meta.filename) {
  for (const argument of process.argv.slice(2)) console.log(`said ${await refusalOf(JSON.parse(argument))}`)
}
