import { closeSync, readdirSync, readFileSync } from "node:fs"
import { runProcess } from "../drivers/ProcessName.ts"
import { signsFd } from "../protocol/RunProtocol.ts"

/** O_CLOEXEC: everything that Node itself opens has this flag. */
const closesOnExec = 0o2000000

const isInherited = (number: number): boolean => {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "latin1"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0
  } catch {
    return false
  }
}

/**
 * Closes what this process was started with besides its pipes: files that the gateway itself has inherited, which Python
 * would inherit in turn. `python/launch.py` does it for isolated runs.
 */
export const closeInherited = (): void => {
  if (process.platform !== "linux" || process.env[runProcess] !== undefined) return
  for (const number of readdirSync("/proc/self/fd").map(Number)) {
    if (number > signsFd && isInherited(number)) closeSync(number)
  }
}
