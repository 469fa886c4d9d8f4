/** The call did not answer within its deadline. */
class DeadlinePassed extends Error {}

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
