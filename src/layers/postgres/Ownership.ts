import { execFileSync } from "node:child_process"
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Cluster } from "./Cluster.ts"

/**
 * Gives the files of the cluster to the user that runs PostgreSQL now, which asks for that; for instance where user
 * namespaces are refused since the last start. A mark beside the cluster outlives a kill in between: as long as it is
 * there, nobody knows whose the files are. No server may run on the cluster meanwhile.
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
