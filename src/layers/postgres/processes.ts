import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hasEnded, processStat } from "../../drivers/ProcessStat.ts"

/** What the machine says of a process. A zombie has ended, but its pid is not free before its parent has asked. */
export interface ProcessView {
  readonly state: "running" | "zombie" | "gone"
  /** Arguments joined by single spaces; empty when they cannot be seen. */
  readonly command: string
}

const gone: ProcessView = { state: "gone", command: "" }

const fromProc = (pid: number): ProcessView => {
  const stat = processStat(pid)
  if (stat !== undefined && hasEnded(stat)) return { state: "zombie", command: "" }
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trimEnd()
    return { state: "running", command }
  } catch {
    return answersSignals(pid) ? { state: "running", command: "" } : gone
  }
}

const fromPs = (pid: number): ProcessView => {
  try {
    const line = execFileSync("ps", ["-ww", "-o", "state=,command=", "-p", String(pid)], { encoding: "utf8" }).trim()
    const [, state = "", command = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? []
    return state.startsWith("Z") ? { state: "zombie", command: "" } : { state: "running", command }
  } catch {
    return gone
  }
}

/** `kill(pid, 0)`: true also for a process of another user, and for a zombie. */
const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Looks at a process by its pid. */
export const viewProcess = (pid: number): ProcessView => (existsSync("/proc/self/stat") ? fromProc(pid) : fromPs(pid))

/** Sends a signal; false when the process is not there or not ours. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Waits until a process has ended (a zombie has), at most `millis`. */
export const waitUntilEnded = async (pid: number, millis: number): Promise<boolean> => {
  const deadline = performance.now() + millis
  while (viewProcess(pid).state === "running") {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

const workingFolder = (pid: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** Whether some process works in this folder (an absolute real path); always true where the system does not tell. */
export const someoneWorksIn = (folder: string): boolean =>
  !existsSync("/proc/self/cwd") ||
  readdirSync("/proc").some((name) => /^\d+$/.test(name) && workingFolder(name) === folder)
