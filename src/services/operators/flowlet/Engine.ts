import { Result } from "effect"
import { defaultGuestLimits, type Guest, type GuestLimits } from "./Guest.ts"
import type { Host } from "./guest/harness.ts"
import { newModule } from "./Module.ts"
import type { ScriptFault } from "./Outcome.ts"
import { ProgramRefused, Sandbox } from "./Sandbox.ts"

/**
 * Starts a program in a sandbox with memory of its own. `match` is what its helpers grok and dissect call, `clock` tells
 * the milliseconds that a program's time is measured by.
 */
export const open = async (
  text: string,
  match: Host["match"],
  clock: () => number = () => performance.now(),
  limits: GuestLimits = defaultGuestLimits
): Promise<Result.Result<Guest, ScriptFault>> => {
  const module = await newModule(limits.memoryBytes)
  return Result.try({
    try: () => new Sandbox(module, text, limits, match, clock),
    catch: (error) => {
      if (error instanceof ProgramRefused) return error.fault
      // Recursion outgrew the thread's stack: the module is of no more use, but it goes away with this call.
      if (error instanceof RangeError) return { message: "the program is nested too deeply" }
      throw error
    }
  })
}
