import type { QuickJSWASMModule } from "quickjs-emscripten"
import { newModule } from "./Module.ts"
import type { ScriptFault } from "./Outcome.ts"
import type { Purpose } from "./Program.ts"
import { ProgramRefused, read } from "./Sandbox.ts"

const compilerBytes = 64 * 1024 * 1024

// Loaded with this module, because settings are checked synchronously.
let compiler: QuickJSWASMModule = await newModule(compilerBytes)

/** The syntax fault of a program, if any. The program is not run. */
export const programFault = (text: string, purpose: Purpose = "flowlet"): ScriptFault | undefined => {
  const runtime = compiler.newRuntime()
  try {
    read(runtime, text, purpose)
    runtime.dispose()
    return undefined
  } catch (error) {
    if (error instanceof ProgramRefused) {
      runtime.dispose()
      return error.fault
    }
    // The recursion overflowed the stack and left the compiler in an undefined state, so it is replaced.
    void newModule(compilerBytes).then((module) => {
      compiler = module
    })
    return { message: "the program is nested too deeply" }
  }
}
