import type { NoParamCallback } from "node:fs"

/**
 * A call did not finish within the deadline. It may still be running, because a thread inside the kernel cannot be
 * stopped.
 */
export class Overdue extends Error {}

type Done<A> = (error: NodeJS.ErrnoException | null, value: A) => void

/**
 * Calls of `node:fs` with a deadline each. A late result is passed to `late`, which releases it (an open file is
 * closed).
 */
export interface Calls {
  /** In milliseconds. */
  readonly deadline: number
  <A>(start: (done: Done<A>) => void, late?: (value: A) => void): Promise<A>
}

/** Wraps calls without a result. */
export const unit =
  (start: (done: NoParamCallback) => void) =>
  (done: Done<void>): void =>
    start((error) => done(error, undefined))

/**
 * A hanging call occupies one of libuv's few threads (`UV_THREADPOOL_SIZE`, 4 by default), which zlib, crypto and name
 * resolution need too. Therefore at most `slots` calls run at a time and the others wait. While every slot is taken by
 * an overdue call, new calls fail at once. Waiting behind calls that make progress is no failure: a slow disk is not an
 * unreachable one.
 */
export const boundedCalls = (deadline: number, slots: number): Calls => {
  const waiting: Array<{ readonly run: () => void; readonly refuse: () => void }> = []
  let running = 0
  let overdue = 0

  const call = <A>(start: (done: Done<A>) => void, late?: (value: A) => void) =>
    new Promise<A>((resolve, reject) => {
      const refuse = () => reject(new Overdue("the storage does not answer"))
      const run = () => {
        running++
        let gaveUp = false
        const timer = setTimeout(() => {
          gaveUp = true
          refuse()
          if (++overdue === slots) for (const call of waiting.splice(0)) call.refuse()
        }, deadline)
        start((error, value) => {
          clearTimeout(timer)
          running--
          if (gaveUp) {
            overdue--
            if (error === null) late?.(value)
          } else if (error === null) resolve(value)
          else reject(error)
          waiting.shift()?.run()
        })
      }
      if (overdue >= slots) refuse()
      else if (running < slots) run()
      else waiting.push({ run, refuse })
    })
  return Object.assign(call, { deadline })
}

/**
 * How many calls may hang with `UV_THREADPOOL_SIZE`, read as libuv reads it: one thread stays free for other users of the
 * pool, unless there is only one. With more calls than threads, one would wait in libuv's queue, where its deadline runs.
 */
export const slotsOf = (threads = "4"): number => Math.max(1, Math.min(1024, Number.parseInt(threads, 10) || 1) - 1)

const shared = new Map<number, Calls>()

/** The bounded calls of this process: all users of its storage share the slots. */
export const processCalls = (deadline: number): Calls => {
  const calls = shared.get(deadline) ?? boundedCalls(deadline, slotsOf(process.env["UV_THREADPOOL_SIZE"]))
  shared.set(deadline, calls)
  return calls
}

/**
 * The calls for one file, with `retire`. After `retire` no call is started; it settles when the kernel has finished all
 * earlier calls, including overdue and queued ones. If the file were closed earlier, the next opened file could get its
 * descriptor, and a late write would go there.
 */
export const tracked = (call: Calls): { readonly call: Calls; readonly retire: () => Promise<void> } => {
  let isRetired = false
  let active = 0
  let waiters: Array<() => void> = []
  const leave = () => {
    if (--active > 0) return
    for (const resume of waiters) resume()
    waiters = []
  }
  const count = <A>(start: (done: Done<A>) => void, late?: (value: A) => void): Promise<A> => {
    if (isRetired) return Promise.reject(new Error("the file is being closed"))
    active++
    let started = false
    const result = call<A>((done) => {
      started = true
      start((error, value) => {
        leave()
        done(error, value)
      })
    }, late)
    result.catch(() => {
      if (!started) leave()
    })
    return result
  }
  return {
    call: Object.assign(count, { deadline: call.deadline }),
    retire: () => {
      isRetired = true
      return active === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))
    }
  }
}
