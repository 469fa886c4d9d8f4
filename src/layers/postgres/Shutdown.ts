import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Cluster } from "./Cluster.ts"
import { signal, someoneWorksIn, viewProcess, waitUntilEnded } from "./processes.ts"

/** Lines of the lock file of the server that runs on the cluster: pid first, status eighth; none without a server. */
export const lockFile = (cluster: Cluster): ReadonlyArray<string> => {
  try {
    return readFileSync(join(cluster.folder, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return []
  }
}

/**
 * Stops the server that a killed gateway left running on this cluster. The process named in the lock file is touched
 * only if its arguments name this cluster, so a pid that means another process by now is left alone.
 */
export const stopOrphan = async (cluster: Cluster): Promise<void> => {
  const pid = Number(lockFile(cluster)[0])
  if (!Number.isInteger(pid) || pid <= 1) return
  const isOurs = () => {
    const { command } = viewProcess(pid)
    return command.includes("postgres") && command.includes(` -D ${cluster.folder} `)
  }
  if (isOurs()) await stop(pid, isOurs)
  else if (isAnothers(cluster, pid)) rmSync(join(cluster.folder, "postmaster.pid"), { force: true })
}

/**
 * PostgreSQL takes any living process of its user for its lock file's holder. In a restarted container, where pids
 * begin anew, that can be the gateway itself, and no server would ever start. The file is put away only when no process
 * at all works in the cluster's folder, as every PostgreSQL process does from before it writes the file to its end.
 */
const isAnothers = (cluster: Cluster, pid: number): boolean => {
  const { command, state } = viewProcess(pid)
  return state === "running" && command !== "" && !someoneWorksIn(cluster.folder)
}

/**
 * Fast shutdown, then, if the server does not heed it, the immediate one (which itself kills after five seconds what
 * does not end), then the kill.
 */
export const stop = async (pid: number, isOurs: () => boolean = () => true): Promise<void> => {
  for (const [name, millis] of [["SIGINT", 8000] as const, ["SIGQUIT", 6500] as const, ["SIGKILL", 3000] as const]) {
    if (!isOurs()) return
    signal(pid, name)
    // A stopped process heeds nothing but the kill.
    signal(pid, "SIGCONT")
    if (await waitUntilEnded(pid, millis)) return
  }
}
