import type { Outcome } from "./Outcome.ts"

export interface GuestLimits {
  readonly memoryBytes: number
  readonly stackBytes: number
}

/**
 * Deeper recursion than this many bytes would outgrow the stack of the thread that the sandbox runs on before its own:
 * 256 KiB are about 1400 calls.
 */
export const defaultGuestLimits: GuestLimits = { memoryBytes: 32 * 1024 * 1024, stackBytes: 256 * 1024 }

/** A program in a sandbox of its own. */
export interface Guest {
  /**
   * Processes events in order, each for at most `millis`, and stops early when `until` (`performance.now()`) has come:
   * as many outcomes as events were processed. When it throws or is cut off, the sandbox is of no more use.
   */
  readonly run: (events: ReadonlyArray<unknown>, millis: number, until: number) => ReadonlyArray<Outcome>
  /** The event, counted in the last `run`, that was begun last. */
  readonly at: () => number
  /** Whether that event has had its time: one that was cut off without it had to wait for a busy machine. */
  readonly isLate: () => boolean
}
