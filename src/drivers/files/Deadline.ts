/** The call did not answer within its deadline. */
export class DeadlinePassed extends Error {}

/**
 * Waits at most `milliseconds` for a call that cannot be interrupted, such as a read from a disk that hangs. A late
 * result is passed to `late`, which releases it (closes the file, removes the temporary name).
 */
export const within = <A>(milliseconds: number, call: Promise<A>, late: (value: A) => unknown = () => {}): Promise<A> =>
  new Promise((resolve, reject) => {
    let waiting = true
    const timer = setTimeout(() => {
      waiting = false
      reject(new DeadlinePassed(`no answer within ${milliseconds} ms`))
    }, milliseconds)
    const settle = (finish: () => void) => {
      if (!waiting) return
      waiting = false
      clearTimeout(timer)
      finish()
    }
    call.then(
      (value) => (waiting ? settle(() => resolve(value)) : void late(value)),
      (error) => settle(() => reject(error))
    )
  })

/**
 * Does work that cannot be interrupted, once at a time for a key: who asks meanwhile gets the same answer. Work that is
 * under way after its deadline fails at once for whoever asks again, so that a share that hangs holds one thread.
 */
export const oneAtATime = <A>(deadline: number) => {
  const all = new Map<string, { readonly work: Promise<A>; isLate: boolean }>()
  return async (key: string, start: () => Promise<A>): Promise<A> => {
    const running = all.get(key) ?? { work: start(), isLate: false }
    if (running.isLate) throw new DeadlinePassed("no answer yet")
    if (!all.has(key)) {
      all.set(key, running)
      const forget = () => all.delete(key)
      running.work.then(forget, forget)
    }
    try {
      return await within(deadline, running.work)
    } catch (error) {
      running.isLate = error instanceof DeadlinePassed
      throw error
    }
  }
}
