import type { QuickJSWASMModule } from "quickjs-emscripten"
import { newModule } from "./Module.ts"
import type { ScriptFault } from "./Outcome.ts"
import type { Purpose } from "./Program.ts"
import { ProgramRefused, read } from "./Sandbox.ts"

const compilerBytes = 64 * 1024 * 1024

// Settings are checked without waiting, so the compiler is loaded with this module.
let compiler: QuickJSWASMModule = await newModule(compilerBytes)

/** What is wrong with a program's syntax. Nothing of the program runs. */
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
    // Recursion outgrew the stack and left the compiler in no good state: the next program gets another one.
    void newModule(compilerBytes).then((module) => {
      compiler = module
    })
    return { message: "the program is nested too deeply" }
  }
}
