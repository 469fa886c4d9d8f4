import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { databaseStop } from "../../../protocol/Liveness.ts"
import { signal, someoneWorksIn, viewProcess, waitUntilEnded } from "../processes.ts"
import type { Cluster } from "./DatabaseCluster.ts"

/** The lines of the server's lock file, with the pid first and the status eighth; empty when there is no file. */
export const lockFile = (cluster: Cluster): ReadonlyArray<string> => {
  try {
    return readFileSync(join(cluster.folder, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return []
  }
}

const pidIn = ([first = ""]: ReadonlyArray<string>): number => (/^\d+$/.test(first) ? Number(first) : 0)

/** Whether the process that the lock file names still runs, whoever's it is. */
export const isHeld = (cluster: Cluster): boolean => {
  const pid = pidIn(lockFile(cluster))
  return pid > 1 && viewProcess(pid).state === "running"
}

/**
 * Stops a server that a killed gateway left running on this cluster, and removes a lock file that would prevent
 * PostgreSQL from starting. The process named in the file is touched only if its arguments name this cluster, because
 * its pid may have been reused.
 */
export const stopOrphan = async (cluster: Cluster): Promise<void> => {
  const lines = lockFile(cluster)
  if (lines.length === 0) return
  const pid = pidIn(lines)
  const isOurs = () => {
    const { command } = viewProcess(pid)
    return command.includes("postgres") && command.includes(` -D ${cluster.folder} `)
  }
  if (pid > 1 && isOurs()) await stop(pid, isOurs)
  else if (isRemnant(cluster, pid)) rmSync(join(cluster.folder, "postmaster.pid"), { force: true })
}

/**
 * Whether a lock file is stale although PostgreSQL would respect it. PostgreSQL itself handles a file whose pid is
 * free. But it refuses to start when the file is empty or incomplete, as after a kill during the start, and when any
 * live process of its user has the pid; in a restarted container, where pids start again, that can be the gateway
 * itself. Such a file is removed only if no process works in the cluster's folder: every PostgreSQL process does so
 * before it has finished writing the file.
 */
const isRemnant = (cluster: Cluster, pid: number): boolean =>
  (pid === 0 || viewProcess(pid).state !== "gone") && !someoneWorksIn(cluster.folder)

/**
 * Requests a fast shutdown, then an immediate one (where PostgreSQL itself kills remaining processes after five
 * seconds), and finally kills the server.
 */
export const stop = async (pid: number, isOurs: () => boolean = () => true): Promise<void> => {
  const { fast, immediate, killed } = databaseStop
  for (const [name, millis] of [
    ["SIGINT", fast] as const,
    ["SIGQUIT", immediate] as const,
    ["SIGKILL", killed] as const
  ]) {
    if (!isOurs()) return
    signal(pid, name)
    // A stopped process reacts to nothing but a kill.
    signal(pid, "SIGCONT")
    if (await waitUntilEnded(pid, millis)) return
  }
}
