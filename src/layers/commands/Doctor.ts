import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type Finding, fault, ok } from "../doctor/Finding.ts"
import { machineFindings } from "../doctor/MachineFindings.ts"
import { storageFindings } from "../doctor/StorageFindings.ts"
import { settings } from "../EnvironmentSettings.ts"
import { startFailure } from "../StartFailure.ts"

const findings: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const read = yield* Effect.exit(settings)
  if (read._tag === "Failure") {
    const refused = fault("settings", startFailure(read.cause), "see docs/settings.md")
    return [refused, ...(yield* Effect.promise(() => machineFindings({ isolation: "auto", runNetwork: true })))]
  }
  return [
    ok("settings", "all FLOW_ variables are known and valid"),
    ...(yield* Effect.promise(() => machineFindings(read.value))),
    ...(yield* storageFindings(read.value))
  ]
})

const line = ({ cure, detail, name, state }: Finding): string =>
  `${state.padEnd(8)}${name}: ${detail}${cure === undefined ? "" : `\n        → ${cure}`}`

/** Reports what the machine and the settings allow the gateway to do. Starts no gateway and changes nothing. */
export const command = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Prints the findings as one JSON array")
    )
  },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* findings
    yield* Console.log(json ? JSON.stringify(found, undefined, 2) : found.map(line).join("\n"))
    const faults = found.filter(({ state }) => state === "fault").map(({ name }) => name)
    if (faults.length > 0) yield* Effect.fail(`the gateway could not start: ${faults.join(", ")}`)
  })
).pipe(Command.withDescription("Tells what this machine and the settings give to the gateway, and what is missing"))
