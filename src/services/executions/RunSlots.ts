import { Effect } from "effect"
import type { TenantId } from "../shared/Tenant.ts"

interface Waiting {
  readonly resume: () => void
  granted: boolean
}

/**
 * Limits the number of concurrent runs, in total and for each tenant. The runs of a tenant get slots in order of
 * arrival; tenants take turns, so that a tenant with many waiting runs does not delay the others.
 */
export class RunSlots {
  readonly #all: number
  readonly #each: number
  #running = 0
  readonly #runningOf = new Map<string, number>()
  /** Queues of waiting runs by tenant; the first tenant has the next turn. */
  readonly #queues = new Map<string, Array<Waiting>>()

  constructor(limits: { readonly all: number; readonly each: number }) {
    this.#all = limits.all
    this.#each = limits.each
  }

  /** Runs the work in the tenant's next slot. An interruption during the wait removes it from the queue. */
  readonly within = <A, E, R>(tenant: TenantId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.#wait(tenant)), () =>
        Effect.ensuring(
          restore(work),
          Effect.sync(() => this.#release(tenant))
        )
      )
    )

  #wait(tenant: TenantId): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const waiting: Waiting = { resume: () => resume(Effect.void), granted: false }
      const queue = this.#queues.get(tenant)
      if (queue === undefined) this.#queues.set(tenant, [waiting])
      else queue.push(waiting)
      this.#grant()
      return Effect.sync(() => {
        if (waiting.granted) return this.#release(tenant)
        const left = (this.#queues.get(tenant) ?? []).filter((other) => other !== waiting)
        if (left.length === 0) this.#queues.delete(tenant)
        else this.#queues.set(tenant, left)
      })
    })
  }

  #release(tenant: TenantId): void {
    this.#running--
    const left = (this.#runningOf.get(tenant) ?? 1) - 1
    if (left === 0) this.#runningOf.delete(tenant)
    else this.#runningOf.set(tenant, left)
    this.#grant()
  }

  #grant(): void {
    while (this.#running < this.#all) {
      const next = [...this.#queues].find(([tenant]) => (this.#runningOf.get(tenant) ?? 0) < this.#each)
      if (next === undefined) return
      const [tenant, queue] = next
      const waiting = queue.shift()!
      // The tenant moves to the end of the queue.
      this.#queues.delete(tenant)
      if (queue.length > 0) this.#queues.set(tenant, queue)
      this.#running++
      this.#runningOf.set(tenant, (this.#runningOf.get(tenant) ?? 0) + 1)
      waiting.granted = true
      waiting.resume()
    }
  }
}
