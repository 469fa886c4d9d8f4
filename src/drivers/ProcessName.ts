import { hostname } from "node:os"
import { startOf } from "./ProcessStat.ts"

/** Letters and digits only, because dashes separate the parts of the name. */
const host =
  hostname()
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 32) || "host"

/**
 * The variable that tells an isolated run how the machine knows it, `<pid>-<start of the process>`: the run has process
 * ids of its own. `python/launch.py` sets it.
 */
export const runProcess = "FLOW_RUN_PROCESS"

const outer = process.env[runProcess]

/** The id under which the machine knows this process. */
export const processId = outer === undefined ? process.pid : Number.parseInt(outer, 10)

/** Identifies this process among all that share its storage: `<pid>-<start of the process>-<host>`. */
export const processName = `${outer ?? `${process.pid}-${startOf(process.pid) ?? "0"}`}-${host}`

/**
 * Whether the process whose name `name` is, or begins with, has ended. Undefined if the process belongs to another host
 * or there is no `/proc`, or this
 * process does not see the others.
 */
export const isProcessGone = (name: string): boolean | undefined => {
  const [pid = "", start = "", where = ""] = name.split("-")
  const isKnown = outer === undefined && where === host && start !== "0" && startOf(process.pid) !== undefined
  return isKnown ? startOf(pid) !== start : undefined
}
