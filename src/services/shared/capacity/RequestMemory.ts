import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { Overloaded } from "../../../errors/Overloaded.ts"
import { Settings } from "../settings/Settings.ts"
import type { TenantId } from "../Tenant.ts"

/** Milliseconds that a request waits for memory before it is refused. */
const patience = 5000

const gauge = Metric.gauge("flow_request_memory_bytes", {
  description: "Memory that requests hold for pages, lists, event streams, downloads, forms and uploads"
})

/** Memory that a request holds until its scope closes. */
export interface Held {
  /** Changes the amount, in bytes, to what is in fact in use. */
  readonly change: (bytes: number) => void
  /** Gives the memory back and waits for this amount, as long as it takes: for answers that have begun. */
  readonly await: (bytes: number) => Effect.Effect<void>
  /** Raises the amount to this one, if it is less, at once. Returns whether there was room. */
  readonly raise: (bytes: number) => boolean
  /** Raises the amount to this one, if it is less. Waits like `hold`, keeps what it has meanwhile, and may be refused. */
  readonly grow: (bytes: number) => Effect.Effect<void, Overloaded>
}

interface Share {
  readonly tenant: TenantId
  held: number
  isClosed: boolean
}

interface Waiting {
  readonly share: Share
  /** What the share is to have in all. */
  readonly bytes: number
  readonly granted: () => void
}

/**
 * Counts shares of memory: so many bytes in all, and so many of each tenant. The first that waits gets it first. The last
 * quarter is kept for a tenant's only share, and for tenants that hold no more than a sixteenth, so that a few tenants
 * cannot take all.
 */
class Shares {
  readonly #limits: Settings["Service"]["requestMemory"]
  readonly #tell: (bytes: number) => void
  readonly #heldBy = new Map<TenantId, number>()
  #held = 0
  #waiting: Array<Waiting> = []

  constructor(limits: Settings["Service"]["requestMemory"], tell: (bytes: number) => void) {
    this.#limits = limits
    this.#tell = tell
  }

  /** Calls `granted` when there is room, perhaps at once. The result gives the place in the queue up. */
  request(share: Share, bytes: number, granted: () => void): () => void {
    const waiting = { share, bytes, granted }
    this.#waiting.push(waiting)
    this.#grant()
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      this.#grant()
    }
  }

  /** Raises the share at once if there is room and nobody waits for it. */
  raise(share: Share, bytes: number): boolean {
    if (share.isClosed || share.held >= bytes) return true
    const { others, own, room } = this.#roomFor(share, bytes)
    const fits = own + bytes <= this.#limits.each && others + bytes <= room
    if (!fits || this.#waiting.length > 0) return false
    this.#set(share, bytes)
    return true
  }

  change(share: Share, bytes: number): void {
    if (share.isClosed || share.held === bytes) return
    this.#set(share, bytes)
    this.#grant()
  }

  close(share: Share): void {
    this.change(share, 0)
    share.isClosed = true
  }

  /** What others hold, what other shares of the tenant hold, and how much all may hold with this share. */
  #roomFor(share: Share, bytes: number) {
    const { all } = this.#limits
    const own = (this.#heldBy.get(share.tenant) ?? 0) - share.held
    const isSmall = own === 0 || own + bytes <= all / 16
    return { others: this.#held - share.held, own, isSmall, room: isSmall ? all : 0.75 * all }
  }

  #set(share: Share, bytes: number): void {
    const more = bytes - share.held
    share.held = bytes
    this.#held += more
    const own = (this.#heldBy.get(share.tenant) ?? 0) + more
    if (own === 0) this.#heldBy.delete(share.tenant)
    else this.#heldBy.set(share.tenant, own)
    this.#tell(this.#held)
  }

  /** A tenant without room is passed over. A share that is larger than a limit is granted when nothing else is held. */
  #grant(): void {
    const left: Array<Waiting> = []
    const granted: Array<Waiting> = []
    /** Whether somebody waits for room in the whole, and in that of tenants that hold much. */
    let isFull = false
    let isCrowded = false
    for (const waiting of this.#waiting) {
      const { share, bytes } = waiting
      const { others, own, isSmall, room } = this.#roomFor(share, bytes)
      const fitsTenant = own === 0 || own + bytes <= this.#limits.each
      if (fitsTenant && others !== 0 && others + bytes > room) {
        if (isSmall) isFull = true
        else isCrowded = true
      }
      if (!fitsTenant || isFull || (isCrowded && !isSmall)) left.push(waiting)
      else {
        this.#set(share, bytes)
        granted.push(waiting)
      }
    }
    this.#waiting = left
    // A request that goes on may come back here.
    for (const waiting of granted) waiting.granted()
  }
}

const refusal = () =>
  new Overloaded({
    detail:
      "The requests that are under way hold all memory that requests may take: read their answers faster, or send " +
      "fewer at once"
  })

/**
 * The memory of requests that may need much of it. Without room, a request waits for some seconds and is then refused,
 * so that clients that read or send slowly, or many at once, never take more than the limits.
 */
export class RequestMemory extends Context.Service<
  RequestMemory,
  {
    /** Holds memory until the scope closes. */
    readonly hold: (tenant: TenantId, bytes: number) => Effect.Effect<Held, Overloaded, Scope.Scope>
  }
>()("flow/shared/RequestMemory") {
  static readonly layer = Layer.effect(
    RequestMemory,
    Effect.gen(function* () {
      const { requestMemory } = yield* Settings
      const context = yield* Effect.context<never>()
      const shares = new Shares(requestMemory, (bytes) => gauge.updateUnsafe(bytes, context))
      const wait = (share: Share, bytes: number, patience?: number) =>
        Effect.callback<void, Overloaded>((resume) => {
          let timer: NodeJS.Timeout | undefined
          let isGranted = false
          const leave = shares.request(share, bytes, () => {
            isGranted = true
            clearTimeout(timer)
            resume(Effect.void)
          })
          if (isGranted) return
          const late = () => {
            leave()
            resume(Effect.fail(refusal()))
          }
          if (patience !== undefined) timer = setTimeout(late, patience)
          return Effect.sync(() => {
            clearTimeout(timer)
            leave()
          })
        })
      return RequestMemory.of({
        hold: Effect.fnUntraced(function* (tenant, bytes) {
          const share: Share = { tenant, held: 0, isClosed: false }
          yield* Effect.addFinalizer(() => Effect.sync(() => shares.close(share)))
          yield* wait(share, bytes, patience)
          return {
            change: (changed) => shares.change(share, changed),
            await: (wanted) =>
              Effect.suspend(() => {
                shares.change(share, 0)
                return Effect.orDie(wait(share, wanted))
              }),
            raise: (wanted) => shares.raise(share, wanted),
            grow: (wanted) =>
              Effect.suspend(() => (shares.raise(share, wanted) ? Effect.void : wait(share, wanted, patience)))
          }
        })
      })
    })
  )
}
