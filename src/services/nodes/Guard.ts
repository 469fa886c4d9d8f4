/** Ends what does not come to an end, and tells the guilty from those that only waited for a busy machine. */
export interface Guard {
  /**
   * Runs `step` for at most `millis` of the clock; false when it was cut off, which may be anywhere. It costs some
   * 0.3 ms.
   */
  readonly within: (millis: number, step: () => void) => boolean
  /** Milliseconds of processor that this thread has had. */
  readonly processorMillis: () => number
}

/**
 * Whether a step that was cut off had its `millis` of processor. A thread that is alone on its processor gets a little
 * less than the clock says.
 */
export const hadItsTime = (used: number, millis: number): boolean => used > millis * 0.9

/**
 * Runs a step that may be begun anew. False when it was not finished although it had its time: one that was cut off
 * because others had the processor is tried again, for twice as long.
 */
export const finishes = ({ within, processorMillis }: Guard, millis: number, step: () => void): boolean => {
  for (let tries = 0; ; tries++) {
    const used = processorMillis()
    if (within(millis * 2 ** tries, step)) return true
    if (hadItsTime(processorMillis() - used, millis)) return false
  }
}
