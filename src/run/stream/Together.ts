/**
 * Makes one call of many: all that ask while a call is under way share the next one, which begins after each of them has
 * asked.
 */
export const together = (call: () => Promise<void>): (() => Promise<void>) => {
  let underWay: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= underWay.then(() => {
      next = undefined
      const now = call()
      underWay = now.catch(() => {})
      return now
    })
    return next
  }
}
