import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Cluster } from "./Cluster.ts"
import { signal, someoneWorksIn, viewProcess, waitUntilEnded } from "./processes.ts"

/** Lines of the server's lock file: pid first, status eighth; none without the file. */
export const lockFile = (cluster: Cluster): ReadonlyArray<string> => {
  try {
    return readFileSync(join(cluster.folder, "postmaster.pid"), "utf8").split("\n")
  } catch {
    return []
  }
}

/**
 * Stops the server that a killed gateway left running on this cluster, and puts away a lock file that would keep
 * PostgreSQL from starting for ever. The process named in the file is touched only if its arguments name this cluster,
 * so a pid that means another process by now is left alone.
 */
export const stopOrphan = async (cluster: Cluster): Promise<void> => {
  const [first] = lockFile(cluster)
  if (first === undefined) return
  const pid = /^\d+$/.test(first) ? Number(first) : 0
  const isOurs = () => {
    const { command } = viewProcess(pid)
    return command.includes("postgres") && command.includes(` -D ${cluster.folder} `)
  }
  if (pid > 1 && isOurs()) await stop(pid, isOurs)
  else if (isRemnant(cluster, pid)) rmSync(join(cluster.folder, "postmaster.pid"), { force: true })
}

/**
 * PostgreSQL judges the lock file by itself where its pid is free. It refuses to start when the file is empty or torn,
 * as a server leaves it that is killed while it starts, and it takes any living process of its user for the holder: in
 * a restarted container, where pids begin anew, that can be the gateway itself. Then the file is put away, but only
 * when no process at all works in the cluster's folder, as every PostgreSQL process does from before it writes the file
 * to its end.
 */
const isRemnant = (cluster: Cluster, pid: number): boolean =>
  (pid === 0 || viewProcess(pid).state !== "gone") && !someoneWorksIn(cluster.folder)

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
