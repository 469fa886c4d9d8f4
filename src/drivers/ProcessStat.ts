import { readFileSync } from "node:fs"

/** The state of a process from Linux's `/proc/<pid>/stat`, see proc(5). */
interface ProcessStat {
  /** A single letter. `Z` and `X` are processes that have ended. */
  readonly state: string
  readonly group: string
  /** The start time of the process, in clock ticks since boot. Tells a process from a later one with the same pid. */
  readonly start: string
  /** Milliseconds of processor that its threads have had. */
  readonly processorMillis: number
}

/** Clock ticks of `/proc` in a second: Linux tells 100 to every program, whatever the kernel counts. */
const ticks = 100

/** Undefined if there is no such process, or no `/proc`. A process that has ended exists until it is reaped. */
export const processStat = (pid: number | string): ProcessStat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is the name in parentheses and may contain anything, so fields are counted from its closing
    // parenthesis.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return {
      state: fields[0] ?? "",
      group: fields[2] ?? "",
      start: fields[19] ?? "",
      processorMillis: (Number(fields[11]) + Number(fields[12])) * (1000 / ticks)
    }
  } catch {
    return undefined
  }
}

/** Whether the process has ended: it is a zombie or being removed. */
export const hasEnded = ({ state }: ProcessStat): boolean => state === "Z" || state === "X"

/** The start time of a live process. */
export const startOf = (pid: number | string): string | undefined => {
  const stat = processStat(pid)
  return stat === undefined || hasEnded(stat) ? undefined : stat.start
}
