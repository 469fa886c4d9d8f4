import { type Context, Effect, Exit } from "effect"

/** One who waits for its part of a call. */
interface Waiting<A, B, E> {
  readonly item: A
  readonly answer: (exit: Exit.Exit<B, E>) => void
}

/** Milliseconds that a call waits for more, which are about to come. */
const gathering = 4
/** Milliseconds after which those who wait for a call to end begin the next one. */
const patience = 1000

/**
 * Does with one call what many ask for. One call of a key is under way at a time, and those who come meanwhile share the
 * next one. Who leaves before it has taken its items has no part in it; once it has, it goes on for the others.
 *
 * @param call takes its items when it is about to send them, and returns what has become of each, in their order
 * @param weightOf items that weigh more than 1 together are not in one call
 * @param hasCompany whether more items like this one are about to come
 */
export const groupCommit = <K, A, B, E>(
  context: Context.Context<never>,
  call: (key: K, take: () => ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { weightOf, hasCompany }: { readonly weightOf: (item: A) => number; readonly hasCompany: (item: A) => boolean }
): ((key: K, item: A) => Effect.Effect<B, E>) => {
  const queues = new Map<K, Array<Waiting<A, B, E>>>()

  const next = (queue: Array<Waiting<A, B, E>>): ReadonlyArray<Waiting<A, B, E>> => {
    let weight = 0
    let count = 0
    for (const { item } of queue) {
      weight += weightOf(item)
      if (weight > 1 && count > 0) break
      count++
    }
    return queue.splice(0, count)
  }

  const begin = (key: K, queue: Array<Waiting<A, B, E>>): void => {
    let taken: ReadonlyArray<Waiting<A, B, E>> | undefined
    const take = () => {
      taken ??= next(queue)
      return taken.map(({ item }) => item)
    }
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      if (queue.length > 0) gather(key, queue)
      else queues.delete(key)
    }
    const timer = setTimeout(end, patience)
    Effect.runForkWith(context)(call(key, take)).addObserver((exit) => {
      clearTimeout(timer)
      // Those who are there when a call fails early would wait for the same failure again.
      const answered = taken ?? next(queue)
      end()
      for (const [n, { answer }] of answered.entries()) answer(Exit.map(exit, (results) => results[n]!))
    })
  }

  const gather = (key: K, queue: Array<Waiting<A, B, E>>): void => {
    if (queue.some(({ item }) => hasCompany(item))) setTimeout(begin, gathering, key, queue)
    else begin(key, queue)
  }

  return (key, item) =>
    Effect.callback<B, E>((resume) => {
      const waiting: Waiting<A, B, E> = { item, answer: (exit) => resume(exit) }
      const known = queues.get(key)
      const queue = known ?? []
      queue.push(waiting)
      if (known === undefined) {
        queues.set(key, queue)
        gather(key, queue)
      }
      return Effect.sync(() => {
        const at = queue.indexOf(waiting)
        if (at >= 0) queue.splice(at, 1)
      })
    })
}
