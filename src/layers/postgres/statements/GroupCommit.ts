import { type Context, Effect, Exit } from "effect"

/** An item that waits for its result. */
interface Waiting<A, B, E> {
  readonly item: A
  readonly answer: (exit: Exit.Exit<B, E>) => void
}

/** Milliseconds that a call waits for further items, when they are about to come. */
const gathering = 4
/** Milliseconds after which the items that wait for a call to end begin the next one anyway. */
const patience = 1000

/**
 * Batches items into calls. One call of a key is under way at a time, and the items that come meanwhile share the next
 * one. An item whose fiber is interrupted before the call takes it is dropped; afterwards the call goes on for the
 * others.
 *
 * For writes that would wait for each other in the database. Reads do not, so `batchedReads` keeps none waiting; equal
 * reads share their answer by `CoalescedReads`, and `makeRowLookup` remembers the rows that it has read.
 *
 * @param call takes its items when it is about to send them, and returns their results in the same order
 * @param weightOf items whose weights add up to more than 1 do not share a call
 * @param expectsMore whether more items are about to come
 */
export const groupCommit = <K, A, B, E>(
  context: Context.Context<never>,
  call: (key: K, take: () => ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { weightOf, expectsMore }: { readonly weightOf: (item: A) => number; readonly expectsMore: (item: A) => boolean }
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
      // When a call fails before it takes its items, the waiting ones get the failure, too: the next call would fail
      // alike.
      const answered = taken ?? next(queue)
      end()
      for (const [n, { answer }] of answered.entries()) answer(Exit.map(exit, (results) => results[n]!))
    })
  }

  const gather = (key: K, queue: Array<Waiting<A, B, E>>): void => {
    if (queue.some(({ item }) => expectsMore(item))) setTimeout(begin, gathering, key, queue)
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
