import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { hostname } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { hasEnded, processStat } from "../../drivers/ProcessStat.ts"
import { runGone } from "../../protocol/Liveness.ts"

/** Sends a signal to every process of the group. Returns false when none is left. */
export const signalGroup = (pgid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pgid, signal)
    return true
  } catch {
    return false
  }
}

const isMember = (pid: number | string, pgid: number): boolean => {
  const stat = processStat(pid)
  return stat !== undefined && stat.group === String(pgid) && !hasEnded(stat)
}

/**
 * The members of the group that still run. Zombies are excluded: `kill` still finds them, and without an init that
 * reaps orphans they stay forever.
 */
const living = (pgid: number): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    return isMember(pid, pgid)
  })

/** Kills the group and waits until no process of it runs, for at most 10 seconds. Returns whether that was achieved. */
export const endGroup = async (pgid: number): Promise<boolean> => {
  for (let round = 0; round < 500; round++) {
    if (!signalGroup(pgid, "SIGKILL")) return true
    if (round > 0 && process.platform === "linux" && living(pgid).length === 0) return true
    await sleep(round < 10 ? 2 : 20)
  }
  return false
}

const leads = (pgid: number): boolean => {
  if (process.platform !== "linux") return signalGroup(pgid, 0)
  return isMember(pgid, pgid)
}

/**
 * Waits until the group leader `<host>:<pid>` has ended, if it is on this host. The wait is limited to slightly more
 * than a run can outlive its gateway, because the process id may belong to another process by now.
 */
export const outlived = async (name: string, signal: AbortSignal): Promise<void> => {
  const at = name.lastIndexOf(":")
  if (name.slice(0, at) !== hostname()) return
  const end = performance.now() + runGone
  while (leads(Number(name.slice(at + 1))) && performance.now() < end && !signal.aborted) await sleep(20)
}

const tasksOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

const startedBy = (pid: number, task: string): ReadonlyArray<number> => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, "latin1")
    return text.split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The children of a process. Linux lists them by the thread that started them. */
const childrenOf = (pid: number, threads: number): ReadonlyArray<number> =>
  (threads > 1 ? tasksOf(pid) : [String(pid)]).flatMap((task) => startedBy(pid, task))

/** The counted memory: resident pages, swapped pages, and the kernel's page tables. */
const held = /^(?:VmRSS|VmSwap|VmPTE):\s+(\d+) kB$/gm

const statusOf = (path: string): string => {
  try {
    return readFileSync(`/proc/${path}/status`, "latin1")
  } catch {
    return ""
  }
}

/** A thread that has ended tells no memory. The first one can end before the others, which then tell what they share. */
const memoryOf = (pid: number, status: string, threads: number): number => {
  const own = (text: string) => [...text.matchAll(held)].reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0)
  if (threads === 1 || /^VmRSS:/m.test(status)) return own(status)
  return tasksOf(pid).reduce((most, task) => Math.max(most, own(statusOf(`${pid}/task/${task}`))), 0)
}

const residentOf = (pid: number): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    const threads = Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1])
    const own = memoryOf(pid, status, threads)
    return childrenOf(pid, threads).reduce((sum, child) => sum + residentOf(child), own)
  } catch {
    return 0
  }
}

/** For systems without `/proc`; `ps` reports KiB. */
const residentByPs = (pgid: number): Promise<number> =>
  new Promise((resolve) =>
    execFile("ps", ["-axo", "pgid=,rss="], (_, text) => {
      const rows = text.split("\n").map((line) => line.trim().split(/\s+/))
      resolve(rows.reduce((sum, [group, kib]) => (group === String(pgid) ? sum + Number(kib) * 1024 : sum), 0))
    })
  )

/** Memory of a process group in bytes, by its leader; 0 when it has ended. */
export const residentBytes = (pid: number): number | Promise<number> =>
  process.platform === "linux" ? residentOf(pid) : residentByPs(pid)
