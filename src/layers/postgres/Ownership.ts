import { execFileSync } from "node:child_process"
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Cluster } from "./DatabaseCluster.ts"

/**
 * Changes the owner of the cluster's files to the user that PostgreSQL now runs as, as PostgreSQL requires. This is
 * needed, for instance, when the system no longer allows user namespaces. A marker file survives a kill during the
 * change: while it exists, the files may have mixed owners. No server may be running on the cluster.
 */
export const takeFiles = ({ account, folder }: Cluster): void => {
  const { owner } = account
  if (owner === undefined) return
  const mark = join(dirname(folder), "changing-owner")
  if (!existsSync(mark) && statSync(folder).uid === owner.uid) return
  writeFileSync(mark, "", { mode: 0o600, flush: true })
  execFileSync("chown", ["-hR", `${owner.uid}:${owner.gid}`, realpathSync(folder)], { stdio: "pipe" })
  rmSync(mark)
}
