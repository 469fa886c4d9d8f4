import { cpus } from "node:os"

/**
 * Counts how many processors of the machine were idle, on average, since the last call: 0 where all have work, infinite
 * where the system does not tell.
 */
export const idleProcessors = (): (() => number) => {
  const look = () => {
    const all = cpus()
    return { at: performance.now(), count: all.length, idle: all.reduce((sum, { times }) => sum + times.idle, 0) }
  }
  let before = look()
  return () => {
    const now = look()
    const millis = now.at - before.at
    const idle = now.idle - before.idle
    const isKnown = now.count > 0 && millis > 0
    before = now
    return isKnown ? idle / millis : Number.POSITIVE_INFINITY
  }
}
