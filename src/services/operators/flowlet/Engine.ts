import { Result } from "effect"
import { hadItsTime } from "../../nodes/Guard.ts"
import { defaultGuestLimits, type Guest } from "./Guest.ts"
import type { Host } from "./guest/harness.ts"
import { newModule } from "./Module.ts"
import type { ScriptFault } from "./Outcome.ts"
import { ProgramRefused, Sandbox, type SandboxOptions } from "./Sandbox.ts"

export interface OpenOptions extends Partial<Omit<SandboxOptions, "clock">> {
  /** Milliseconds that a program's time is measured by; those of the clock if there are no others. */
  readonly clock?: (() => number) | undefined
  /** Runs what may not come to an end: false when it was cut off. */
  readonly within?: ((millis: number, step: () => void) => boolean) | undefined
}

/** Milliseconds that a program has before its first event, its loops inside of built-in functions included. */
const startMillis = 2000

/** Starts a program in a sandbox with memory of its own. `match` is what its helpers grok and dissect call. */
export const open = async (
  text: string,
  match: Host["match"],
  given: OpenOptions = {}
): Promise<Result.Result<Guest, ScriptFault>> => {
  const { purpose = "flowlet", limits = defaultGuestLimits, clock = () => performance.now(), within } = given
  for (let tries = 0; ; tries++) {
    const module = await newModule(limits.memoryBytes)
    const make = () => new Sandbox(module, text, match, { purpose, limits, clock })
    const used = clock()
    const made = Result.try({
      try: () => {
        if (within === undefined) return make()
        let sandbox: Sandbox | undefined
        within(startMillis * 2 ** tries, () => {
          sandbox = make()
        })
        return sandbox
      },
      catch: (error) => {
        if (error instanceof ProgramRefused) return error.fault
        // Recursion outgrew the thread's stack: the module is of no more use, but it goes away with this call.
        if (error instanceof RangeError) return { message: "the program is nested too deeply" }
        throw error
      }
    })
    if (Result.isFailure(made)) return Result.fail(made.failure)
    if (made.success !== undefined) return Result.succeed(made.success)
    // Cut off because others had the processor, it is tried again.
    if (hadItsTime(clock() - used, startMillis)) {
      return Result.fail({ message: "the program does not come to its first event" })
    }
  }
}
