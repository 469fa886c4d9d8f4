import { Result } from "effect"
import { hadItsTime, processorMillis } from "../Guard.ts"
import { defaultGuestLimits, type Guest } from "./Guest.ts"
import type { Host } from "./guest/harness.ts"
import { newModule } from "./Module.ts"
import type { ScriptFault } from "./Outcome.ts"
import { ProgramRefused, Sandbox, type SandboxOptions } from "./Sandbox.ts"

interface OpenOptions extends Partial<Omit<SandboxOptions, "clock">> {
  /** Measures a program's time in milliseconds; the processor time of this thread by default. */
  readonly clock?: (() => number) | undefined
  /** Runs a step that may not terminate; returns false when it was interrupted. */
  readonly within?: ((millis: number, step: () => void) => boolean) | undefined
}

/** Milliseconds that a program may take before its first event, including loops inside built-in functions. */
const startMillis = 2000

/** Starts a program in a sandbox with its own memory. `match` implements the helpers grok and dissect. */
export const open = async (
  text: string,
  match: Host["match"],
  given: OpenOptions = {}
): Promise<Result.Result<Guest, ScriptFault>> => {
  const { purpose = "flowlet", limits = defaultGuestLimits, clock = processorMillis, within } = given
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
        // The recursion overflowed the thread's stack. The module is unusable, but it is dropped after this call.
        if (error instanceof RangeError) return { message: "the program is nested too deeply" }
        throw error
      }
    })
    if (Result.isFailure(made)) return Result.fail(made.failure)
    if (made.success !== undefined) return Result.succeed(made.success)
    // If it was interrupted because other processes had the processor, it is tried again.
    if (hadItsTime(clock() - used, startMillis)) {
      return Result.fail({ message: "the program takes too long before its first event" })
    }
  }
}
