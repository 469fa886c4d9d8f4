import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Runtime } from "effect"
import { Gateway, settings } from "./gateway.ts"
import { stopWithTerminal } from "./layers/Hangup.ts"
import * as IdleMemory from "./layers/IdleMemory.ts"
import { disablePretenuring } from "./layers/Pretenuring.ts"
import { startFailure } from "./layers/StartFailure.ts"

// Users with an argument usually want help or a subcommand, and may not notice at once that a gateway runs instead.
if (process.argv.length > 2) {
  console.error("flow-gateway: this program takes no arguments; `npx flow-gateway --help` lists the subcommands")
  process.exit(2)
}

disablePretenuring()

// `runMain` removes its signal handlers shortly before the process ends. Without this one, a signal at that moment,
// such as the second one of Ctrl-C under npm, would kill the process.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {})

// Tools that rotate logs send these. By SIGUSR1 Node would open a debugger to all local users and processes, and SIGUSR2
// would end the gateway.
for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => {})

stopWithTerminal()

/** Exits with 0 after a stop by signal: service managers take the usual 130 for a failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

NodeRuntime.runMain(
  Layer.launch(Layer.merge(Layer.provide(Gateway, settings), IdleMemory.layer())).pipe(
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(`flow-gateway cannot start: ${startFailure(cause)}`)
    )
  ),
  { disableErrorReporting: true, teardown }
)
