import { Script } from "node:vm"
import { type Guard, processorMillis } from "../../languages/Guard.ts"

const key = Symbol.for("flow/operators/step")
/** Compiled on first use: most runs never need it. */
let script: Script | undefined

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/**
 * Runs `step` for at most `millis`. Returns false when it was interrupted, which can happen anywhere, even inside a
 * regular expression. Each call starts a thread (about 0.3 ms), so use one call for many samples.
 */
const within = (millis: number, step: () => void): boolean => {
  script ??= new Script("globalThis[Symbol.for('flow/operators/step')]()")
  Reflect.set(globalThis, key, step)
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(millis)) })
    return true
  } catch (error) {
    if (isTimeout(error)) return false
    throw error
  } finally {
    Reflect.deleteProperty(globalThis, key)
  }
}

export const guard: Guard = { within, processorMillis }
