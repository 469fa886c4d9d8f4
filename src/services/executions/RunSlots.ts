import { Effect } from "effect"
import type { TenantId } from "../shared/Tenant.ts"

interface Waiting {
  readonly resume: () => void
  granted: boolean
}

/**
 * Slots for the runs of tenants: so many at once in all, and so many of each tenant. Within a tenant the first one that
 * waits is the first to get one; between tenants they go round, so that a tenant that waits for much does not hold up
 * the others.
 */
export class RunSlots {
  readonly #all: number
  readonly #each: number
  #running = 0
  readonly #runningOf = new Map<string, number>()
  /** Tenants that wait, the next one first. */
  readonly #queues = new Map<string, Array<Waiting>>()

  constructor(limits: { readonly all: number; readonly each: number }) {
    this.#all = limits.all
    this.#each = limits.each
  }

  /** Does the work in the tenant's next slot. Interrupting it while it waits gives its place in the queue up. */
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
      // The tenant goes behind all others that wait.
      this.#queues.delete(tenant)
      if (queue.length > 0) this.#queues.set(tenant, queue)
      this.#running++
      this.#runningOf.set(tenant, (this.#runningOf.get(tenant) ?? 0) + 1)
      waiting.granted = true
      waiting.resume()
    }
  }
}
