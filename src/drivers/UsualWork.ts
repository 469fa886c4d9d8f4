import { totalmem } from "node:os"

const mebibyte = 1024 * 1024

/** Memory in bytes of the gateway, its PostgreSQL and all runs together: the machine's, or that of the control group. */
export const availableMemory = (): number => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

const between = (least: number, value: number, most: number): number =>
  Math.min(most * mebibyte, Math.max(least * mebibyte, Math.floor(value)))

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
    bufferBytes: Math.min(128 * mebibyte, Math.floor(memory / 16)),
    /** The forms of all operator tests together. Three quarters of it have room for the largest form. */
    testFormBytes: between(96, memory / 8, 256),
    /** The heap of a thread that tests operators. */
    testBytes: between(64, memory / 8, 256),
    /** Threads that validate flowlines, and the heap of one. */
    validations: Math.min(4, Math.max(1, Math.floor(memory / (512 * mebibyte)))),
    validationBytes: between(128, memory / 4, 512),
    /** Processes that check SQL, and the memory of one, of which DuckDB and Node take 160 MiB at once. */
    sqlChecks: Math.min(3, 1 + Math.floor(memory / (1024 * mebibyte))),
    sqlCheckBytes: between(256, memory / 4, 512)
  }
}
