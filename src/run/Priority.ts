import { readdirSync, writeFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** How much is added to the gateway's nice value. */
const lower = 4

const allThreads = (): ReadonlyArray<number> =>
  // Linux gives each thread a priority of its own; the threads that it starts inherit it.
  process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [0]

/**
 * Lowers the priority of this process below the gateway's and its PostgreSQL's, which many runs would otherwise slow
 * down. A run does so when it has started, not before: on a busy machine a takeover would wait for the start.
 *
 * @param urgent the id of the thread that keeps its priority
 */
export const lowerPriority = (urgent: number | undefined): void => {
  try {
    const niceness = Math.min(19, getPriority() + lower)
    for (const thread of allThreads()) if (thread !== urgent) setPriority(thread, niceness)
    // A run leads a session, and with autogroup Linux shares the processors between sessions first: sched(7).
    writeFileSync("/proc/self/autogroup", String(niceness))
  } catch {}
}
