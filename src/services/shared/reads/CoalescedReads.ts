import { Context, Effect, Exit, type Fiber, Layer, Scope } from "effect"

/** What a read has found; `isFirst` for one of those who share it. */
interface Found<A> {
  readonly value: A
  readonly isFirst: boolean
}

type Resume<A, E> = (exit: Exit.Exit<A, E>) => void

/** A read that waits, is under way, or is used by those who share it. */
interface Read<A, E> {
  readonly scope: Scope.Closeable
  readonly begin: () => Fiber.Fiber<A, E>
  readonly askers: Set<Resume<A, E>>
  /** Requests that share it and are not over. */
  users: number
  fiber: Fiber.Fiber<A, E> | undefined
  isOver: boolean
}

/** Reads of one key: one is under way, and one waits for it. */
interface KeyedReads<A, E> {
  current: Read<A, E>
  next: Read<A, E> | undefined
}

const close = <A, E>({ scope, users, isOver }: Read<A, E>): void => {
  if (users === 0 && isOver) Effect.runFork(Scope.close(scope, Exit.void))
}

/** Reads of all keys. */
class Shares {
  readonly #reads = new Map<string, KeyedReads<unknown, unknown>>()

  /** The read of a key that has not begun, and whether it is new. */
  join<A, E>(key: string, make: () => Read<A, E>): { readonly read: Read<A, E>; readonly isFirst: boolean } {
    // All who name a key read the same, so what they find has one type.
    const reads = this.#reads.get(key) as KeyedReads<A, E> | undefined
    if (reads?.next !== undefined) return { read: reads.next, isFirst: false }
    const read = make()
    if (reads !== undefined) reads.next = read
    else this.#reads.set(key, { current: read, next: undefined } as KeyedReads<unknown, unknown>)
    return { read, isFirst: true }
  }

  /** Begins a read, unless it waits for another one. */
  begin<A, E>(key: string, read: Read<A, E>): void {
    const reads = this.#reads.get(key) as KeyedReads<A, E> | undefined
    if (reads?.current !== read) return
    read.fiber = read.begin()
    read.fiber.addObserver((exit) => this.#end(key, reads, exit))
  }

  /** One who shared the read is over. A read that nobody waits for is given up. */
  leave<A, E>(key: string, read: Read<A, E>): void {
    read.users -= 1
    if (read.users > 0) return
    const reads = this.#reads.get(key) as KeyedReads<A, E> | undefined
    if (reads?.next === read) {
      reads.next = undefined
      read.isOver = true
    }
    if (read.isOver) close(read)
    else read.fiber?.interruptUnsafe()
  }

  #end<A, E>(key: string, reads: KeyedReads<A, E>, exit: Exit.Exit<A, E>): void {
    const { current, next } = reads
    current.isOver = true
    for (const resume of current.askers) resume(exit)
    close(current)
    if (next === undefined) {
      this.#reads.delete(key)
      return
    }
    reads.current = next
    reads.next = undefined
    // The read that waits was asked for before this failure: it ends alike, instead of waiting as long again.
    if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) this.#end(key, reads, exit)
    else this.begin(key, next)
  }
}

/**
 * Lets equal requests share a read. One read of a key is under way at a time; whoever asks meanwhile shares the next one.
 * So each is answered with what was there after it had asked, as if it had read alone.
 */
export class CoalescedReads extends Context.Service<
  CoalescedReads,
  {
    /**
     * What `read` finds: the same for all who name the key. What it holds in its scope is held until all who share it are
     * over. It goes on when the request that has begun it is interrupted, as long as others wait for it.
     */
    readonly share: <A, E, R>(
      key: string,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<Found<A>, E, Exclude<R, Scope.Scope> | Scope.Scope>
  }
>()("flow/shared/CoalescedReads") {
  static readonly layer = Layer.sync(CoalescedReads, () => {
    const shares = new Shares()
    return CoalescedReads.of({
      share: <A, E, R>(key: string, read: Effect.Effect<A, E, R>) =>
        Effect.contextWith((context: Context.Context<Exclude<R, Scope.Scope>>) => {
          const make = (): Read<A, E> => {
            const scope = Scope.makeUnsafe()
            const begin = () => Effect.runForkWith(context)(Scope.provide(read, scope))
            return { scope, begin, askers: new Set(), users: 0, fiber: undefined, isOver: false }
          }
          const joined = Effect.acquireRelease(
            Effect.sync(() => {
              const joined = shares.join(key, make)
              joined.read.users += 1
              return joined
            }),
            ({ read }) => Effect.sync(() => shares.leave(key, read))
          )
          return Effect.flatMap(joined, ({ read, isFirst }) =>
            Effect.callback<Found<A>, E>((resume) => {
              const asker: Resume<A, E> = (exit) => resume(Exit.map(exit, (value) => ({ value, isFirst })))
              read.askers.add(asker)
              if (isFirst) shares.begin(key, read)
              return Effect.sync(() => void read.askers.delete(asker))
            })
          )
        })
    })
  })
}
