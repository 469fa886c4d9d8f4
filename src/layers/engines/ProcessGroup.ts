import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const pageBytes = 4096

/** Signals every process of the group; false when there is none left. */
export const signalGroup = (pgid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pgid, signal)
    return true
  } catch {
    return false
  }
}

/** The fields of `/proc/<pid>/stat` after the name, which may hold blanks and brackets itself. */
const stat = (pid: string): ReadonlyArray<string> => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")
  } catch {
    return []
  }
}

/** When the process started, in ticks of the system's clock; undefined when it is gone. */
export const startOf = (pid: number): string | undefined => {
  const fields = stat(String(pid))
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19]
}

/**
 * Members of the group that can still do something. A zombie counts for `kill`, and where no init reaps orphans it
 * stays for ever, so it is not waited for.
 */
const living = (pgid: number): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    const [state, , group] = stat(pid)
    return group === String(pgid) && state !== "Z" && state !== "X"
  })

/** Kills the group and waits until nothing of it runs, for 10 seconds at most. */
export const endGroup = async (pgid: number): Promise<boolean> => {
  for (let round = 0; round < 500; round++) {
    if (!signalGroup(pgid, "SIGKILL")) return true
    if (round > 0 && process.platform === "linux" && living(pgid).length === 0) return true
    await sleep(round < 10 ? 2 : 20)
  }
  return false
}

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1")
    return text.split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Resident bytes of the process and of what it started, 0 where the system does not tell. */
export const residentBytes = (pid: number): number => {
  let own = 0
  try {
    own = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * pageBytes
  } catch {
    return 0
  }
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), own)
}
