import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { packageVersion } from "./drivers/Package.ts"
import { messageOf } from "./languages/ErrorMessage.ts"
import * as Audit from "./layers/commands/Audit.ts"
import * as Doctor from "./layers/commands/Doctor.ts"
import * as HashPassword from "./layers/commands/HashPassword.ts"
import * as NewSecretsKey from "./layers/commands/NewSecretsKey.ts"
import * as Test from "./layers/commands/Test.ts"

const root = Command.make("flow-gateway").pipe(
  Command.withDescription("Starts the gateway; with a subcommand, works for its operator"),
  Command.withSubcommands([Audit.command, Doctor.command, HashPassword.command, NewSecretsKey.command, Test.command])
)

/** What `flow-gateway <subcommand>` runs. Without arguments, `bin/flow-gateway.js` starts the gateway instead. */
NodeRuntime.runMain(
  Command.run(root, { version: packageVersion }).pipe(
    Effect.tapError((error) =>
      CliError.isCliError(error) ? Effect.void : Console.error(`flow-gateway: ${messageOf(error)}`)
    ),
    Effect.provide(NodeServices.layer)
  ),
  { disableErrorReporting: true }
)
