import { Effect, type Scope } from "effect"
import type { TenantId } from "../Tenant.ts"

/** How many tenants and works share something. */
export interface FairSemaphoreLimits<E, Who extends string = TenantId> {
  /** Places in all. */
  readonly all: number
  /** Places of one tenant at once. */
  readonly each: number | ((tenant: Who) => number)
  /** Places that only a tenant gets that has none, so that a few tenants cannot take all. None by default. */
  readonly kept?: number
  /** How many may wait for one tenant, and the failure of the next one. Without it, any number waits. */
  readonly queue?: { readonly each: number; readonly full: () => E }
}

/**
 * Places for work that may last for ever: a quarter of them is kept for tenants that have none, unless one tenant may
 * have all. `eachOf`: the places of a tenant, where they differ from `each`.
 */
export const lastingPlaces = (
  { all, each }: { readonly all: number; readonly each: number },
  eachOf: FairSemaphoreLimits<never>["each"] = each
): FairSemaphoreLimits<never> => ({ all, each: eachOf, kept: each < all ? Math.floor(all / 4) : 0 })

interface Waiting {
  readonly size: number
  readonly resume: () => void
  granted: boolean
}

/**
 * Places that tenants share, or others whom `Who` names. Within a tenant, who came first gets the next place; between
 * tenants they go round, so that a tenant with much work does not hold up the others.
 */
export class FairSemaphore<E = never, Who extends string = TenantId> {
  readonly #limits: FairSemaphoreLimits<E, Who>
  #taken = 0
  readonly #takenBy = new Map<Who, number>()
  /** The tenants that wait, the next one first. */
  readonly #queues = new Map<Who, Array<Waiting>>()

  constructor(limits: FairSemaphoreLimits<E, Who>) {
    this.#limits = limits
  }

  /** Does the work in the tenant's next place. Interrupting it while it waits gives its place in the queue up. */
  readonly within = <A, E2, R>(tenant: Who, work: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.#wait(tenant)), () => Effect.ensuring(restore(work), this.#released(tenant)))
    )

  /** Takes the tenant's next place until the scope closes, or several places at once. */
  readonly place = (tenant: Who, size = 1): Effect.Effect<void, E, Scope.Scope> =>
    Effect.acquireRelease(this.#wait(tenant, size), () => this.#released(tenant, size), { interruptible: true })

  get places(): number {
    return this.#limits.all
  }

  get taken(): number {
    return this.#taken
  }

  takenBy(tenant: Who): number {
    return this.#takenBy.get(tenant) ?? 0
  }

  get free(): number {
    return this.#limits.all - this.#taken
  }

  get waiting(): number {
    let waiting = 0
    for (const queue of this.#queues.values()) waiting += queue.length
    return waiting
  }

  #wait(tenant: Who, size = 1): Effect.Effect<void, E> {
    return Effect.callback<void, E>((resume) => {
      const queue = this.#queues.get(tenant) ?? []
      const waiting: Waiting = { size, resume: () => resume(Effect.void), granted: false }
      queue.push(waiting)
      this.#queues.set(tenant, queue)
      this.#grant()
      const { queue: most } = this.#limits
      if (!waiting.granted && most !== undefined && queue.length > most.each) {
        this.#leave(tenant, waiting)
        resume(Effect.fail(most.full()))
        return
      }
      return Effect.sync(() => (waiting.granted ? this.#release(tenant, size) : this.#leave(tenant, waiting)))
    })
  }

  #leave(tenant: Who, waiting: Waiting): void {
    const left = (this.#queues.get(tenant) ?? []).filter((other) => other !== waiting)
    if (left.length === 0) this.#queues.delete(tenant)
    else this.#queues.set(tenant, left)
  }

  #released(tenant: Who, size = 1): Effect.Effect<void> {
    return Effect.sync(() => this.#release(tenant, size))
  }

  #release(tenant: Who, size: number): void {
    this.#taken -= size
    const left = (this.#takenBy.get(tenant) ?? size) - size
    if (left === 0) this.#takenBy.delete(tenant)
    else this.#takenBy.set(tenant, left)
    this.#grant()
  }

  #mayTake(tenant: Who, { size }: Waiting): boolean {
    const { each, kept = 0 } = this.#limits
    const own = this.takenBy(tenant)
    return own === 0 || (own + size <= (typeof each === "number" ? each : each(tenant)) && this.free - size >= kept)
  }

  #grant(): void {
    for (;;) {
      const next = [...this.#queues].find(([tenant, [first]]) => first !== undefined && this.#mayTake(tenant, first))
      // A request for several places is not overtaken by smaller ones.
      if (next === undefined || next[1][0]!.size > this.free) return
      const [tenant, queue] = next
      const waiting = queue.shift()!
      // The tenant goes behind all others that wait.
      this.#queues.delete(tenant)
      if (queue.length > 0) this.#queues.set(tenant, queue)
      this.#taken += waiting.size
      this.#takenBy.set(tenant, (this.#takenBy.get(tenant) ?? 0) + waiting.size)
      waiting.granted = true
      waiting.resume()
    }
  }
}
