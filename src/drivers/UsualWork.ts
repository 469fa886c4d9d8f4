import { totalmem } from "node:os"

const mebibyte = 1024 * 1024

/** Memory in bytes of the gateway, its PostgreSQL and all runs together: the machine's, or that of the control group. */
export const availableMemory = (): number => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * What fits into so many bytes of memory, up to what the gateway does on any larger machine. Under load the gateway, its
 * PostgreSQL and the process that it keeps for the next run take about 384 MiB; a run takes 50 to 80 MiB, if its records
 * need little.
 */
export const usualWork = (memory: number) => {
  const runs = Math.min(16, Math.max(1, Math.floor((memory / mebibyte - 384) / 64)))
  return {
    runs,
    jobs: 2 * runs,
    requestBytes: Math.min(512 * mebibyte, Math.floor(memory / 4)),
    /** Of PostgreSQL, which never gives them back. */
    bufferBytes: Math.min(128 * mebibyte, Math.floor(memory / 16))
  }
}
