import { Result } from "effect"
import { newQuickJSWASMModule } from "quickjs-emscripten"
import type { Host } from "./guest/harness.ts"
import type { Outcome, ScriptFault } from "./Outcome.ts"
import { ProgramRefused, Sandbox } from "./Sandbox.ts"

export interface GuestLimits {
  readonly memoryBytes: number
  readonly stackBytes: number
}

/**
 * Deeper recursion than this many bytes would outgrow the stack of the thread that the sandbox runs on before its own:
 * 256 KiB are about 1400 calls.
 */
export const defaultGuestLimits: GuestLimits = { memoryBytes: 32 * 1024 * 1024, stackBytes: 256 * 1024 }

/** A program in a sandbox of its own. */
export interface Guest {
  /**
   * Processes events in order, each for at most `millis`, and stops early when `until` (`performance.now()`) has come:
   * as many outcomes as events were processed. When it throws or is cut off, the sandbox is of no more use.
   */
  readonly run: (events: ReadonlyArray<unknown>, millis: number, until: number) => ReadonlyArray<Outcome>
  /** The event, counted in the last `run`, that was begun last. */
  readonly at: () => number
}

/** Starts a program in a sandbox with memory of its own. `match` is what its helpers grok and dissect call. */
export const open = async (
  text: string,
  match: Host["match"],
  limits: GuestLimits = defaultGuestLimits
): Promise<Result.Result<Guest, ScriptFault>> => {
  const module = await newQuickJSWASMModule()
  return Result.try({
    try: () => new Sandbox(module, text, limits, match),
    catch: (error) => {
      if (error instanceof ProgramRefused) return error.fault
      // Recursion outgrew the thread's stack: the module is of no more use, but it goes away with this call.
      if (error instanceof RangeError) return { message: "the program is nested too deeply" }
      throw error
    }
  })
}
