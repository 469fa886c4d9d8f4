import { readFileSync } from "node:fs"

/** What Linux tells of a process in `/proc/<pid>/stat`, proc(5). */
export interface ProcessStat {
  /** One letter; `Z` and `X` are processes that have ended. */
  readonly state: string
  readonly group: string
  /** When the process started, in clock ticks since the machine did. It tells a process from a later one of its pid. */
  readonly start: string
  /** Milliseconds of processor that its threads have had. */
  readonly processorMillis: number
}

/** Clock ticks of `/proc` in a second: Linux tells 100 to every program, whatever the kernel counts. */
const ticks = 100

/** Undefined where there is no such process, or no `/proc`. A process that has ended is there until it is reaped. */
export const processStat = (pid: number | string): ProcessStat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is the name in parentheses and may hold anything, so the fields are counted from its end.
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

/** Whether it can do nothing any more: a zombie, or on its way to be none. */
export const hasEnded = ({ state }: ProcessStat): boolean => state === "Z" || state === "X"

/** When a living process started. */
export const startOf = (pid: number | string): string | undefined => {
  const stat = processStat(pid)
  return stat === undefined || hasEnded(stat) ? undefined : stat.start
}
