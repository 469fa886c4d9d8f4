/**
 * Shares calls: everybody who asks while a call is under way gets the result of the next one, which begins after all of
 * them have asked.
 */
export const sharedCalls = (call: () => Promise<void>): (() => Promise<void>) => {
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
