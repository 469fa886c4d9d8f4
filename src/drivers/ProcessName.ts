import { hostname } from "node:os"
import { startOf } from "./ProcessStat.ts"

/** Letters and digits only, because dashes separate the parts of the name. */
const host =
  hostname()
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 32) || "host"

/** Identifies this process among all that share its storage: `<pid>-<start of the process>-<host>`. */
export const processName = `${process.pid}-${startOf(process.pid) ?? "0"}-${host}`

/**
 * Whether the process whose name `name` is, or begins with, has ended. Undefined if the process belongs to another host
 * or there is no `/proc`.
 */
export const isProcessGone = (name: string): boolean | undefined => {
  const [pid = "", start = "", where = ""] = name.split("-")
  const isKnown = where === host && start !== "0" && startOf(process.pid) !== undefined
  return isKnown ? startOf(pid) !== start : undefined
}
