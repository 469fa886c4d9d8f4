import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hasEnded, processStat } from "../../drivers/ProcessStat.ts"

/** The state of a process. A zombie has ended, but its pid is not free until its parent has waited for it. */
interface ProcessView {
  readonly state: "running" | "zombie" | "gone"
  /** The arguments joined by single spaces; empty when they cannot be read. */
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

/** `kill(pid, 0)`. Also true for a process of another user and for a zombie. */
const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Looks up a process by its pid. */
export const viewProcess = (pid: number): ProcessView => (existsSync("/proc/self/stat") ? fromProc(pid) : fromPs(pid))

/** Sends a signal; false when the process does not exist or belongs to another user. */
export const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Waits until a process has ended or is a zombie, at most `millis`. */
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

/**
 * Whether the working folder of any process is this folder, an absolute real path. Always true where the system cannot
 * tell.
 */
export const someoneWorksIn = (folder: string): boolean =>
  !existsSync("/proc/self/cwd") ||
  readdirSync("/proc").some((name) => /^\d+$/.test(name) && workingFolder(name) === folder)
