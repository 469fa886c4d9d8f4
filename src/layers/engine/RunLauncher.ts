import { spawnSync } from "node:child_process"

/**
 * The capabilities that a run of root keeps: those that reach the gateway's files, and those with which it isolates
 * Python.
 */
const kept = [
  "chown",
  "dac_override",
  "dac_read_search",
  "fowner",
  "fsetid",
  "kill",
  "net_admin",
  "setgid",
  "setpcap",
  "setuid",
  "sys_admin"
]

/** The command that starts a run with fewer privileges; empty where there is none. */
export const runLauncher = (): ReadonlyArray<string> => {
  if (process.platform !== "linux") return []
  const bounded = process.geteuid?.() === 0 ? [`--bounding-set=-all${kept.map((name) => `,+${name}`).join("")}`] : []
  const command = ["--no-new-privs", ...bounded]
  const { status } = spawnSync("setpriv", [...command, "true"], { stdio: "ignore", timeout: 10_000 })
  return status === 0 ? ["setpriv", ...command] : []
}
