import { Script } from "node:vm"
import type { Guard } from "../../languages/Guard.ts"

const key = Symbol.for("flow/operators/step")
/** Made when it is needed: most runs never do. */
let script: Script | undefined

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

/**
 * Runs `step` for at most `millis`; false when it was cut off, which may happen anywhere inside it, in the midst of a
 * regular expression too. A call starts a thread (about 0.3 ms): one for many samples, not one for each.
 */
export const within = (millis: number, step: () => void): boolean => {
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

/** Milliseconds of processor that this thread has had: a busy machine must not make a sample look slow. */
export const processorMillis = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export const guard: Guard = { within, processorMillis }
