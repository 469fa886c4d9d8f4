import { Overdue } from "../Calls.ts"

interface Waiting {
  readonly go: () => void
  readonly refuse: (reason: unknown) => void
}

/**
 * Limits concurrency; further calls wait in order. When a running call is overdue, the waiting ones fail too, because
 * each of them would wait as long in vain.
 */
export class Turns {
  #free: number
  readonly #waiting = new Set<Waiting>()

  constructor(turns: number) {
    this.#free = turns
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const abort = () => waiting.refuse(signal.reason)
      const leave = () => {
        this.#waiting.delete(waiting)
        signal.removeEventListener("abort", abort)
      }
      const waiting: Waiting = {
        go: () => {
          leave()
          resolve()
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        }
      }
      this.#waiting.add(waiting)
      signal.addEventListener("abort", abort)
    })
  }

  async take<A>(work: () => Promise<A>, signal: AbortSignal): Promise<A> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await work()
    } catch (error) {
      if (error instanceof Overdue) for (const { refuse } of [...this.#waiting]) refuse(error)
      throw error
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#free++
      else next.go()
    }
  }
}
