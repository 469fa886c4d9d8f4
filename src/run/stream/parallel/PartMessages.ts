import type { Made, Piece } from "./Part.ts"

/** What a thread is made with: the run's order as one line. */
export type Start = string

/** What a thread is sent, one after the other. */
export type Request = Piece

/** What it answers to each, in the same order. Its texts lie in memory that it shares, and uses again: {@link perPart}. */
export type Reply = Made | { readonly component: string | undefined; readonly failure: string }

/** What it says first: from now on it answers soon. */
export const ready = "ready"

/**
 * Pieces that a part has at once: one to work on, one to go on with, and others whose texts wait for their turn, as one
 * part is slower than another now and then. It gets another one when the texts of the first have been taken.
 */
export const perPart = 4
