import type { Outcome } from "./Outcome.ts"

export interface GuestLimits {
  readonly memoryBytes: number
  readonly stackBytes: number
}

/**
 * The stack is limited to 256 KiB, about 1400 calls: deeper recursion would overflow the stack of the thread that runs
 * the sandbox.
 */
export const defaultGuestLimits: GuestLimits = { memoryBytes: 32 * 1024 * 1024, stackBytes: 256 * 1024 }

/** A program in its own sandbox. */
export interface Guest {
  /**
   * Processes events in order, each for at most `millis`, and stops early at `until` (`performance.now()`). Returns one
   * outcome per processed event. When it throws or is interrupted, the sandbox is unusable.
   */
  readonly run: (events: ReadonlyArray<unknown>, millis: number, until: number) => ReadonlyArray<Outcome>
  /** The index, in the last `run`, of the event that was begun last. */
  readonly at: () => number
  /** Whether that event used up its time. If not, an interrupted event only waited for a busy machine. */
  readonly isLate: () => boolean
}
