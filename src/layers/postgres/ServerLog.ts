import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs"
import type { Cluster } from "./DatabaseCluster.ts"

/** Size in bytes at which the next start rotates the log. */
const logLimit = 4 * 1024 * 1024

/** Opens the server's log for appending. */
export const openLog = (cluster: Cluster): number => {
  const size = statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0
  if (size > logLimit) renameSync(cluster.log, `${cluster.log}.1`)
  return openSync(cluster.log, "a+", 0o640)
}

/** The server's output after byte `offset` of the log, at most its last 16 KiB. */
export const logSince = (cluster: Cluster, offset: number): string => {
  const descriptor = openSync(cluster.log, "r")
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(offset, size - 16_384)
    const bytes = Buffer.alloc(Math.max(size - from, 0))
    readSync(descriptor, bytes, 0, bytes.length, from)
    return bytes.toString().trim()
  } finally {
    closeSync(descriptor)
  }
}
