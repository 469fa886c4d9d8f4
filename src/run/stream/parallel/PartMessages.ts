import type { Made } from "./Part.ts"

// A thread gets the run's order as one line, then a piece with each message.

/** The answers, in the order of the pieces. Their texts lie in shared memory that is reused: see {@link perPart}. */
export type PartReply = Made | { readonly component: string | undefined; readonly failure: string }

/** The first message of a thread: it is ready for pieces. */
export const ready = "ready"

/**
 * Maximum number of pieces per part: one in progress, one queued, and others whose texts wait for their turn in the
 * order, because parts differ in speed, or for the disk. A part gets another piece when the texts of its first were
 * processed and written.
 */
export const perPart = 8
