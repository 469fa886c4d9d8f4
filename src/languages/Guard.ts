/** Interrupts steps that do not terminate, and distinguishes them from steps that only waited for a busy machine. */
export interface Guard {
  /**
   * Runs `step` for at most `millis` of wall-clock time. Returns false when it was interrupted, which can happen
   * anywhere. Takes about 0.3 ms itself.
   */
  readonly within: (millis: number, step: () => void) => boolean
  /** The processor time of this thread in milliseconds. */
  readonly processorMillis: () => number
}

/**
 * The processor time of this thread in milliseconds. Unlike elapsed time it does not grow while the machine is busy
 * with other work.
 */
export const processorMillis = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Whether an interrupted step had used its `millis` of processor time. A thread that is alone on its processor gets
 * slightly less than the wall-clock time.
 */
export const hadItsTime = (used: number, millis: number): boolean => used > millis * 0.9

/**
 * Runs a restartable step. A step that was interrupted because other processes had the processor is tried again with
 * twice the time. Returns false when it did not finish although it had its time.
 */
export const finishes = ({ within, processorMillis }: Guard, millis: number, step: () => void): boolean => {
  for (let tries = 0; ; tries++) {
    const used = processorMillis()
    if (within(millis * 2 ** tries, step)) return true
    if (hadItsTime(processorMillis() - used, millis)) return false
  }
}

/**
 * Applies `one` to a list as a whole, which is fast. When that takes longer than `millis`, applies it to each item alone,
 * and the result of a slow one is `slow`. `one` must not keep anything, because it is interrupted anywhere.
 */
export const batchSteps = <A, B>(
  items: ReadonlyArray<A>,
  one: (item: A) => B,
  guard: Guard,
  millis: number,
  slow: string
): ReadonlyArray<B | string> => {
  let all: ReadonlyArray<B> | undefined
  const isDone = guard.within(millis, () => {
    all = items.map(one)
  })
  if (isDone && all !== undefined) return all
  return items.map((item) => {
    let result: B | string = slow
    return finishes(guard, millis, () => {
      result = one(item)
    })
      ? result
      : slow
  })
}
